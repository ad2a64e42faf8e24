// The toolbar of a log view: streams, search, wrapping, line numbers, raw, copy and download.
import type { Ref } from 'react';
import { Button, TextInput } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconDownload,
  IconLetterCase,
  IconListNumbers,
  IconRegex,
  IconSearch,
  IconTextWrap,
} from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import type { LogSearch } from './use-log-search.ts';
import classes from './log-view.module.css';

/** The reader's settings, which the browser stores for the next log. */
export interface LogLook {
  wrap: boolean;
  numbers: boolean;
}

interface ToolbarProps {
  /** The names of all streams, and of the shown one; undefined if all are shown. */
  names: string[];
  shown: string | undefined;
  onShown: (name: string | undefined) => void;
  search: LogSearch;
  searchRef: Ref<HTMLInputElement>;
  onStep: (by: 1 | -1) => void;
  /** Moves the focus for Escape in an empty search. */
  onLeave: () => void;
  /** "1,204 lines". */
  about: string;
  /** What has just been done. */
  message: string;
  look: LogLook;
  onLook: (look: LogLook) => void;
  raw: boolean;
  onRaw: (raw: boolean) => void;
  /** What Copy would copy: "the output", "lines 3 to 9". */
  copied: string;
  onCopy: () => void;
  onDownload: () => void;
}

/** "3/12", "12 found", "Not found". */
function countText({ query, count, more, problem, at }: LogSearch): string {
  if (query.text === '') return '';
  if (problem !== undefined) return problem;
  if (count === undefined) return '…';
  if (count === 0) return 'Not found';
  const all = more ? `${formatCount(count)}+` : formatCount(count);
  return at < 0 ? `${all} found` : `${formatCount(at + 1)}/${all}`;
}

const button = { variant: 'default', size: 30, iconSize: 17 } as const;

function SearchBox({
  search,
  searchRef,
  onStep,
  onLeave,
}: Pick<ToolbarProps, 'search' | 'searchRef' | 'onStep' | 'onLeave'>) {
  const { query, setQuery } = search;
  const none = search.count ? undefined : query.text === '' ? 'Type a search first' : 'Nothing was found';
  return (
    <div className={classes.search} role="search" aria-label="Search the output">
      <TextInput
        ref={searchRef}
        size="xs"
        aria-label="Search the output"
        aria-keyshortcuts="/"
        placeholder="Search"
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        value={query.text}
        onChange={(event) => setQuery({ ...query, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          if (query.text === '') onLeave();
          else setQuery({ ...query, text: '' });
        }}
        error={search.problem !== undefined}
        spellCheck={false}
        autoComplete="off"
        className={classes.searchInput}
      />
      <IconButton
        {...button}
        icon={IconLetterCase}
        label="Match case"
        aria-pressed={query.exact}
        onClick={() => setQuery({ ...query, exact: !query.exact })}
      />
      <IconButton
        {...button}
        icon={IconRegex}
        label="Pattern"
        title="Search for a pattern (regular expression)"
        aria-pressed={query.pattern}
        onClick={() => setQuery({ ...query, pattern: !query.pattern })}
      />
      <Gate why={none}>
        <IconButton
          {...button}
          icon={IconChevronUp}
          label="Previous match"
          aria-keyshortcuts="N"
          title="Previous match (N)"
          onClick={() => onStep(-1)}
        />
      </Gate>
      <Gate why={none}>
        <IconButton
          {...button}
          icon={IconChevronDown}
          label="Next match"
          aria-keyshortcuts="n"
          title="Next match (n)"
          onClick={() => onStep(1)}
        />
      </Gate>
      <span role="status" className={classes.count} data-problem={search.problem && true}>
        {countText(search)}
      </span>
    </div>
  );
}

export function LogToolbar(props: ToolbarProps) {
  const { names, shown, onShown, about, message, look, onLook, raw, onRaw, copied, onCopy, onDownload } = props;
  return (
    <div className={classes.toolbar}>
      {names.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="Streams"
          value={shown ?? ''}
          onChange={(value) => onShown(value === '' ? undefined : value)}
          data={[{ value: '', label: 'Both' }, ...names.map((name) => ({ value: name, label: name }))]}
        />
      )}
      <SearchBox {...props} />
      <span className={classes.lines}>
        {message === '' && about}
        <span role="status">{message}</span>
      </span>
      <div className={classes.tools}>
        <IconButton
          {...button}
          icon={IconTextWrap}
          label="Wrap lines"
          title="Wrap lines (w)"
          aria-pressed={look.wrap}
          onClick={() => onLook({ ...look, wrap: !look.wrap })}
        />
        <IconButton
          {...button}
          icon={IconListNumbers}
          label="Line numbers"
          aria-pressed={look.numbers}
          onClick={() => onLook({ ...look, numbers: !look.numbers })}
        />
        <Button
          size="xs"
          aria-pressed={raw}
          title="Show colour codes, control characters and every state of a rewritten line; copy and download them too"
          onClick={() => onRaw(!raw)}
        >
          Raw
        </Button>
        <IconButton {...button} icon={IconCopy} label={`Copy ${copied}${raw ? ', raw' : ''}`} onClick={onCopy} />
        <Button
          size="xs"
          leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
          title={raw ? 'As received, with control characters' : 'Without colour codes, control characters made visible'}
          onClick={onDownload}
        >
          {raw ? 'Download raw' : 'Download'}
        </Button>
      </div>
    </div>
  );
}
