// The input: paste rows, drop or choose a file, or start with an empty table. Explains the columns.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Textarea } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { isNotOffered } from '#/api/api-error.ts';
import { tagQueries } from '#/api/tags.ts';
import { csvText } from '#/contract/csv.ts';
import { saveFile } from '#/lib/save-file.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { BrowseButton, DropVeil, useWindowDrop } from '#/ui/form/drop-area.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { fileText } from './file-text.ts';
import { COLUMNS, UnusableRows } from './rows.ts';
import classes from './add-many.module.css';

const EXAMPLE = [
  [...COLUMNS],
  ['pump-001', 'pumps', 'ACME', 'Hall 1', '52.5200', '13.4050', 'edge;north'],
  ['pump-002', 'pumps', 'ACME', 'Hall 2', '', '', 'edge'],
];

interface RowsInputProps {
  busy: boolean;
  /** Throws UnusableRows if the text contains no table. */
  onText: (text: string) => Promise<void>;
  onEmptyTable: () => void;
}

export function RowsInput({ busy, onText, onEmptyTable }: RowsInputProps) {
  const [text, setText] = useState('');
  const tags = useQuery(tagQueries.list());
  const [trouble, setTrouble] = useState<Error | null>(null);
  const take = async (read: () => string | Promise<string>): Promise<boolean> => {
    setTrouble(null);
    try {
      await onText(await read());
      return true;
    } catch (error) {
      if (!(error instanceof UnusableRows)) throw error;
      setTrouble(error);
      return false;
    }
  };
  const takeFiles = ([file]: File[]) => {
    if (file) void take(() => fileText(file));
  };
  const over = useWindowDrop(busy, takeFiles);

  return (
    <div className={classes.input}>
      <DropVeil over={over}>Drop to check the rows</DropVeil>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void take(() => text);
        }}
      >
        <Textarea
          label="Rows"
          description="Paste CSV or cells of a spreadsheet, or drop a file anywhere on this page."
          placeholder={EXAMPLE.slice(1)
            .map((row) => row.join(','))
            .join('\n')}
          rows={10}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          // Several lines pasted into the empty field are a list, which becomes a table immediately.
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text/plain');
            if (text.trim() !== '' || !/[\r\n]./.test(pasted)) return;
            event.preventDefault();
            void take(() => pasted).then((isTaken) => isTaken || setText(pasted));
          }}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.text }}
        />
        <FormError error={trouble} />
        <Group gap="sm">
          <Gate why={text.trim() === '' ? 'Paste rows first' : undefined}>
            <Button variant="filled" type="submit" loading={busy}>
              Check rows
            </Button>
          </Gate>
          <BrowseButton onChoose={takeFiles} label="CSV file" accept=".csv,.tsv,.txt,text/csv,text/plain">
            Browse files
          </BrowseButton>
          <Button onClick={onEmptyTable}>Start with an empty table</Button>
        </Group>
      </form>
      <div className={classes.columns}>
        <h2>Columns</h2>
        <dl>
          <dt>name</dt>
          <dd>Required. 1 to 255 characters.</dd>
          <dt>group</dt>
          <dd>A job can go to all devices of a group.</dd>
          <dt>customer, site</dt>
          <dd>Who has the device, and where it is.</dd>
          <dt>lat, lng</dt>
          <dd>Degrees, both or neither: 52.52 and 13.405.</dd>
          <dt>id</dt>
          <dd>Optional, below a heading row. Changes the device with this id, as in an export.</dd>
          <dt>tags</dt>
          <dd>
            {isNotOffered(tags.error)
              ? 'This service has no tags.'
              : 'Several with ; or | between them, which are \\; and \\| in a tag. Missing tags are created.'}
          </dd>
        </dl>
        <p className="dim">In this order, or in any order below a heading row.</p>
        <Button
          size="xs"
          leftSection={<IconDownload size={16} stroke={1.6} aria-hidden />}
          onClick={() => saveFile('devices-template.csv', csvText(EXAMPLE))}
        >
          Download a template
        </Button>
      </div>
    </div>
  );
}
