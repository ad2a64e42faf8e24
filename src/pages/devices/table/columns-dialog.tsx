// Chooses the columns of the device table, their order and the row height. Changes show immediately.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { factQueries } from '#/api/facts.ts';
import { FACT } from '#/features/device-filters/fact-words.ts';
import { VERSION_OF } from '#/features/device-filters/version-words.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { USUAL, inOrder, isColumnShown, withMoved, withShown, type ColumnChoice } from './column-choice.ts';
import { columnsFilledBy, type TableColumn } from './table-columns.tsx';
import classes from './columns-dialog.module.css';

interface ColumnsDialogProps {
  /** The columns that this service fills. */
  columns: readonly TableColumn[];
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice) => void;
  onClose: () => void;
}

/** Adds a column for each extra field: the version of each artifact and each fact, if the service has them. */
function useWithExtras(columns: readonly TableColumn[]): readonly TableColumn[] {
  const isKnown = useOffered('versions') === true;
  const counts = useQuery({ ...deviceVersionQueries.counts(), enabled: isKnown });
  const hasFacts = useOffered('facts') === true;
  const facts = useQuery({ ...factQueries.names(), enabled: hasFacts });
  const fields = new Set([
    ...(counts.data ?? []).map(({ ArtifactName }) => VERSION_OF + ArtifactName),
    ...(facts.data?.Names ?? []).map((name) => FACT + name),
  ]);
  const isNew = ({ id }: TableColumn) => fields.has(id) && columns.every((column) => column.id !== id);
  return [...columns, ...columnsFilledBy(fields).filter(isNew)];
}

export function ColumnsDialog({ columns, choice, onChange, onClose }: ColumnsDialogProps) {
  const [dragged, setDragged] = useState<{ id: string; index: number; y: number }>();
  const ordered = inOrder(useWithExtras(columns), choice);
  const ids = ordered.map(({ id }) => id);
  const move = (id: string, by: number) => onChange(withMoved(choice, ids, id, by));
  return (
    <BaseDialog onClose={onClose} title="Columns" size="sm" centered={false}>
      <ul className={classes.columns} aria-label="Columns in order">
        {ordered.map((column, index) => (
          <li key={column.id} data-dragged={dragged?.id === column.id || undefined}>
            <span
              className={classes.grip}
              aria-hidden
              onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                setDragged({ id: column.id, index, y: event.clientY });
              }}
              onPointerMove={({ clientY, currentTarget }) => {
                if (!dragged) return;
                const height = currentTarget.parentElement?.offsetHeight ?? 1;
                const wanted = dragged.index + Math.round((clientY - dragged.y) / height);
                move(dragged.id, Math.max(0, Math.min(wanted, ids.length - 1)) - ids.indexOf(dragged.id));
              }}
              onPointerUp={() => setDragged(undefined)}
              onPointerCancel={() => setDragged(undefined)}
            >
              <IconGripVertical size={16} stroke={1.6} />
            </span>
            <Checkbox
              size="xs"
              label={column.id === 'name' ? 'Name (always shown)' : column.label}
              checked={isColumnShown(column, choice)}
              disabled={column.id === 'name'}
              onChange={(event) => onChange(withShown(choice, column, event.currentTarget.checked))}
            />
            <IconButton
              icon={IconArrowUp}
              size="sm"
              label={`Move ${column.label} up`}
              off={index === 0}
              onClick={() => move(column.id, -1)}
            />
            <IconButton
              icon={IconArrowDown}
              size="sm"
              label={`Move ${column.label} down`}
              off={index === ids.length - 1}
              onClick={() => move(column.id, 1)}
            />
          </li>
        ))}
      </ul>
      <div className={classes.foot}>
        <SegmentedControl
          size="xs"
          aria-label="Row height"
          value={choice.density}
          onChange={(density) => onChange({ ...choice, density: density === 'comfortable' ? density : 'compact' })}
          data={[
            { value: 'compact', label: 'Compact' },
            { value: 'comfortable', label: 'Comfortable' },
          ]}
        />
        <Button size="xs" onClick={() => onChange(USUAL)}>
          Reset
        </Button>
      </div>
    </BaseDialog>
  );
}
