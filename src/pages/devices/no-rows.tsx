// Shown instead of an empty table.
import { Empty } from '#/ui/page/view.tsx';
import { useAddButtons } from './add-buttons.tsx';
import classes from './devices-page.module.css';

interface NoRowsProps {
  page: number;
  filtered: boolean;
  onFirstPage: () => void;
  onClear: () => void;
}

export function NoRows({ page, filtered, onFirstPage, onClear }: NoRowsProps) {
  return (
    <div className={classes.nothing}>
      {page > 1 ? (
        <Empty
          title={`Page ${page} is empty.`}
          next={{ label: 'Back to the first page', onClick: onFirstPage, variant: 'default' }}
        />
      ) : filtered ? (
        <Empty
          title="No device matches these filters."
          next={{ label: 'Clear filters', onClick: onClear, variant: 'default' }}
        />
      ) : (
        <NoDevices />
      )}
    </div>
  );
}

function NoDevices() {
  const { hasOwnAgent, addThisMachine, add, addMany, enrolment } = useAddButtons(true);
  return (
    <Empty
      title="No devices yet"
      scoped
      action={
        <>
          {addThisMachine}
          {add}
          {addMany}
          {enrolment}
        </>
      }
    >
      {hasOwnAgent
        ? 'Start with this machine: one command adds it. Or add a device elsewhere.'
        : 'Add the first one, or many from a list.'}
    </Empty>
  );
}
