// The tools of a log view: which stream, search, wrap, line numbers, raw, copy, download.
import type { Ref } from 'react';
import { ActionIcon, Button, TextInput } from '@mantine/core';
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
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import type { LogSearch } from './use-log-search.ts';
import classes from './log-view.module.css';

const icon = { size: 17, stroke: 1.6, 'aria-hidden': true };

/** What the reader has switched on; stored by the browser for the next log. */
export interface LogLook {
  wrap: boolean;
  numbers: boolean;
}

interface ToolbarProps {
  /** The names of all streams, and of the one that is shown; undefined: all. */
  names: string[];
  shown: string | undefined;
  onShown: (name: string | undefined) => void;
  search: LogSearch;
  searchRef: Ref<HTMLInputElement>;
  onStep: (by: 1 | -1) => void;
  /** Where Escape in the search leads. */
  onLeave: () => void;
  /** "1,204 lines". */
  about: string;
  /** What was just done. */
  message: string;
  look: LogLook;
  onLook: (look: LogLook) => void;
  raw: boolean;
  onRaw: (raw: boolean) => void;
  /** What Copy copies: "the output", "lines 3 to 9". */
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

interface ToggleProps {
  name: string;
  title: string;
  on: boolean;
  onChange: (on: boolean) => void;
  Icon: typeof IconSearch;
}

const Toggle = ({ name, title, on, onChange, Icon }: ToggleProps) => (
  <ActionIcon
    variant="default"
    size={30}
    aria-label={name}
    title={title}
    aria-pressed={on}
    onClick={() => onChange(!on)}
  >
    <Icon {...icon} />
  </ActionIcon>
);

function SearchBox({
  search,
  searchRef,
  onStep,
  onLeave,
}: Pick<ToolbarProps, 'search' | 'searchRef' | 'onStep' | 'onLeave'>) {
  const { query, setQuery } = search;
  const none = !search.count;
  const reason = query.text === '' ? 'Type what to look for first' : 'Nothing was found';
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
      <Toggle
        name="Match case"
        title="Match case"
        on={query.exact}
        onChange={(exact) => setQuery({ ...query, exact })}
        Icon={IconLetterCase}
      />
      <Toggle
        name="Pattern"
        title="Search for a pattern (regular expression)"
        on={query.pattern}
        onChange={(pattern) => setQuery({ ...query, pattern })}
        Icon={IconRegex}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Previous match"
        aria-keyshortcuts="N"
        title={none ? reason : 'Previous match (N)'}
        disabled={none}
        onClick={() => onStep(-1)}
      >
        <IconChevronUp {...icon} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Next match"
        aria-keyshortcuts="n"
        title={none ? reason : 'Next match (n)'}
        disabled={none}
        onClick={() => onStep(1)}
      >
        <IconChevronDown {...icon} />
      </ActionIcon>
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
        <Toggle
          name="Wrap lines"
          title="Wrap lines (w)"
          on={look.wrap}
          onChange={(wrap) => onLook({ ...look, wrap })}
          Icon={IconTextWrap}
        />
        <Toggle
          name="Line numbers"
          title="Line numbers"
          on={look.numbers}
          onChange={(numbers) => onLook({ ...look, numbers })}
          Icon={IconListNumbers}
        />
        <Button
          size="xs"
          aria-pressed={raw}
          title="Show colour codes, control characters and every state of a rewritten line; copy and download them too"
          onClick={() => onRaw(!raw)}
        >
          Raw
        </Button>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={`Copy ${copied}${raw ? ', raw' : ''}`}
          title={`Copy ${copied}${raw ? ', raw' : ''}`}
          onClick={onCopy}
        >
          <IconCopy {...icon} />
        </ActionIcon>
        <Button
          size="xs"
          leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
          title={
            raw ? 'As it came, control characters and all' : 'Without colour codes, control characters made visible'
          }
          onClick={onDownload}
        >
          {raw ? 'Download raw' : 'Download'}
        </Button>
      </div>
    </div>
  );
}
