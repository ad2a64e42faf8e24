// The tools of a log view: which stream, search, wrap, line numbers, copy, download.
import { useState } from 'react';
import type { Ref } from 'react';
import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core';
import {
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconDownload,
  IconListNumbers,
  IconSearch,
  IconTextWrap,
} from '@tabler/icons-react';
import { copyText } from './copy-button.tsx';
import { formatCount } from './format.ts';
import { plainText } from './log-view-items.ts';
import type { LogStream } from './log-view-items.ts';
import { MOST_MATCHES } from './log-view-search.ts';
import type { LogSearch } from './log-view-use-search.ts';
import classes from './log-view.module.css';

const icon = { size: 17, stroke: 1.6, 'aria-hidden': true };

/** What the reader has switched on; kept by the browser for the next log. */
export interface LogLook {
  wrap: boolean;
  numbers: boolean;
}

interface ToolbarProps {
  streams: LogStream[];
  /** The name of the one stream that is shown; undefined: all. */
  shown: string | undefined;
  onShown: (name: string | undefined) => void;
  search: LogSearch;
  searchRef: Ref<HTMLInputElement>;
  onStep: (by: 1 | -1) => void;
  lines: number;
  look: LogLook;
  onLook: (look: LogLook) => void;
  fileName: string;
}

function save(text: string, fileName: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** "3 of 12", "12 found", "Not found". */
function countText({ query, count, at }: LogSearch): string {
  if (query === '') return '';
  if (count === undefined) return '…';
  if (count === 0) return 'Not found';
  const all = count >= MOST_MATCHES ? `${formatCount(count)}+` : formatCount(count);
  return at < 0 ? `${all} found` : `${formatCount(at + 1)}/${all}`;
}

function SearchBox({ search, searchRef, onStep }: Pick<ToolbarProps, 'search' | 'searchRef' | 'onStep'>) {
  const none = !search.count;
  const reason = search.query === '' ? 'Type what to look for first' : 'Nothing was found';
  return (
    <div className={classes['search']} role="search" aria-label="Search the output">
      <TextInput
        ref={searchRef}
        size="xs"
        aria-label="Search the output"
        placeholder="Search"
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        value={search.query}
        onChange={(event) => search.setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') search.setQuery('');
        }}
        spellCheck={false}
        autoComplete="off"
        className={classes['searchInput'] ?? ''}
      />
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Previous match"
        title={none ? reason : 'Previous match (Shift+Enter)'}
        disabled={none}
        onClick={() => onStep(-1)}
      >
        <IconChevronUp {...icon} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Next match"
        title={none ? reason : 'Next match (Enter)'}
        disabled={none}
        onClick={() => onStep(1)}
      >
        <IconChevronDown {...icon} />
      </ActionIcon>
      <span role="status" className={classes['count']}>
        {countText(search)}
      </span>
    </div>
  );
}

function CopyAll({ streams }: { streams: LogStream[] }) {
  const [said, setSaid] = useState('');
  const copy = async () => setSaid((await copyText(plainText(streams))) ? 'Copied' : 'The browser refused to copy');
  return (
    <>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Copy the output"
        title={said || 'Copy the output'}
        onClick={() => void copy()}
        onBlur={() => setSaid('')}
      >
        {said === 'Copied' ? <IconCheck {...icon} /> : <IconCopy {...icon} />}
      </ActionIcon>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </>
  );
}

export function LogToolbar(props: ToolbarProps) {
  const { streams, shown, onShown, search, searchRef, onStep, lines, look, onLook, fileName } = props;
  const seen = streams.filter(({ name }) => shown === undefined || name === shown);
  return (
    <div className={classes['toolbar']}>
      {streams.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label="Streams"
          value={shown ?? ''}
          onChange={(value) => onShown(value === '' ? undefined : value)}
          data={[{ value: '', label: 'Both' }, ...streams.map(({ name }) => ({ value: name, label: name }))]}
        />
      )}
      <SearchBox search={search} searchRef={searchRef} onStep={onStep} />
      <span className={classes['lines']}>{lines === 1 ? '1 line' : `${formatCount(lines)} lines`}</span>
      <div className={classes['tools']}>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Wrap lines"
          title="Wrap lines"
          aria-pressed={look.wrap}
          onClick={() => onLook({ ...look, wrap: !look.wrap })}
        >
          <IconTextWrap {...icon} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Line numbers"
          title="Line numbers"
          aria-pressed={look.numbers}
          onClick={() => onLook({ ...look, numbers: !look.numbers })}
        >
          <IconListNumbers {...icon} />
        </ActionIcon>
        <CopyAll streams={seen} />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
          onClick={() => save(plainText(seen), fileName)}
        >
          Download
        </Button>
      </div>
    </div>
  );
}
