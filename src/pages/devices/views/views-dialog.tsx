// What the menu of views asks for: a name, a yes, or a file.
import { useState } from 'react';
import { Button } from '@mantine/core';
import { TextField } from '#/ui/form/text-field.tsx';
import { notifications } from '@mantine/notifications';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { Question } from '#/ui/dialog/confirm-dialog.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { BrowseButton } from '#/ui/form/drop-area.tsx';
import {
  MOST_NAME,
  MOST_VIEWS,
  cleanName,
  imported,
  named,
  newId,
  planImport,
  readViews,
  type ClashAnswer,
  type ReadViews,
} from './saved-views.ts';
import type { DeviceView } from '#/pages/devices/view/use-device-view.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import classes from './views-parts.module.css';
import { counted, formatCount } from '#/lib/format.ts';
import { Status } from '#/ui/controls/status.tsx';

export type ViewTask = 'save' | 'rename' | 'delete' | 'import';

interface ViewsDialogProps {
  task: ViewTask;
  view: DeviceView;
  onGo: (search: string) => void;
  onClose: () => void;
}

const TITLES = {
  save: 'Save this view',
  rename: 'Rename view',
  delete: 'Delete view',
  import: 'Import views',
} as const;

export function ViewsDialog({ task, ...props }: ViewsDialogProps) {
  if (task === 'delete') return <Delete {...props} />;
  return (
    <BaseDialog onClose={props.onClose} title={TITLES[task]}>
      <div className={classes.body}>{task === 'import' ? <Import {...props} /> : <Name task={task} {...props} />}</div>
    </BaseDialog>
  );
}

type PartProps = Omit<ViewsDialogProps, 'task'>;

function Name({ task, view, onGo, onClose }: PartProps & { task: 'save' | 'rename' }) {
  const { saved, applied, words } = view;
  const [name, setName] = useState(task === 'rename' ? (applied?.name ?? '') : '');
  const [problem, setProblem] = useState('');
  const same = named(saved.views, name);
  const save = () => {
    const given = cleanName(name);
    if (given === '') return setProblem('A view needs a name');
    if (same && (task === 'save' || same.id !== applied?.id)) return setProblem('A view with this name exists');
    if (task === 'save' && saved.views.length >= MOST_VIEWS)
      return setProblem(`At most ${MOST_VIEWS} views. Delete one first.`);
    if (task === 'rename')
      saved.change((all) => all.map((each) => (each.id === applied?.id ? { ...each, name: given } : each)));
    else {
      const made = { id: newId(saved.views), name: given, words };
      saved.change((all) => [...all, made]);
      onGo(view.searchOf(made));
    }
    onClose();
  };
  return (
    <form
      className={classes.body}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField
        data-autofocus
        label="Name"
        value={name}
        maxLength={MOST_NAME}
        error={problem}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setProblem('');
        }}
        autoComplete="off"
      />
      {task === 'save' && (
        <p className="dim">Saves the filters, search, sort, columns and row height in this browser.</p>
      )}
      <DialogButtons onCancel={onClose}>
        <Button variant="filled" type="submit">
          {task === 'save' ? 'Save view' : 'Rename'}
        </Button>
      </DialogButtons>
    </form>
  );
}

function Delete({ view, onGo, onClose }: PartProps) {
  const { saved, applied } = view;
  return (
    <Question
      onClose={onClose}
      title={TITLES.delete}
      confirmLabel="Delete view"
      onConfirm={() => {
        saved.change((all) => all.filter(({ id }) => id !== applied?.id));
        onGo('');
        onClose();
      }}
    >
      <strong>
        <bdi>{applied?.name}</bdi>
      </strong>{' '}
      is taken off your list. No device is touched, and links that were shared go on working.
    </Question>
  );
}

const MOST_BYTES = 1_000_000;

const count = (views: number) => counted(views, 'view');

function Import({ view: { saved }, onClose }: PartProps) {
  const [file, setFile] = useState<{ name: string } & (ReadViews | { problem: string })>();
  const [answer, setAnswer] = useState<ClashAnswer>('both');
  const read = async ([given]: File[]) => {
    if (!given) return;
    try {
      if (given.size > MOST_BYTES) throw new Error('It is larger than any file of views.');
      setFile({ name: given.name, ...readViews(await given.text()) });
    } catch (cause) {
      setFile({ name: given.name, problem: cause instanceof Error ? cause.message : String(cause) });
    }
  };
  const plan = file && 'views' in file ? planImport(saved.views, file.views) : undefined;
  const next = plan && imported(saved.views, plan, answer);
  const isFull = (next?.length ?? 0) > MOST_VIEWS;
  const brings = plan ? plan.fresh.length + (answer === 'mine' ? 0 : plan.clashes.length) : 0;
  return (
    <>
      <p className="dim">A file from “Export all views”. Your own views stay.</p>
      <div>
        <BrowseButton label="File with views" accept=".json,application/json" onChoose={(files) => void read(files)}>
          {file ? 'Choose another file' : 'Choose a file'}
        </BrowseButton>
      </div>
      {file && 'problem' in file && (
        <p role="alert" className={classes.error}>
          <strong>
            <bdi>{file.name}</bdi> was not imported.
          </strong>{' '}
          {file.problem}
        </p>
      )}
      <Status className={classes.body}>
        {file && 'views' in file && plan && (
          <>
            <p>
              <strong>
                <bdi>{file.name}</bdi>: {count(file.views.length)}
              </strong>
              {plan.known > 0 && `, ${plan.known} there already`}
              {file.unreadable > 0 &&
                `, ${file.unreadable === 1 ? '1 entry' : `${formatCount(file.unreadable)} entries`} left out as unreadable`}
            </p>
            {plan.fresh.length + plan.clashes.length > 0 && (
              <ul className={classes.list}>
                {plan.fresh.map(({ id, name }) => (
                  <li key={id}>
                    <bdi>{name}</bdi>
                  </li>
                ))}
                {plan.clashes.map(({ id, name }) => (
                  <li key={id}>
                    <bdi>{name}</bdi> <span className="dim">· you have another one with this name</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Status>
      {plan && plan.clashes.length > 0 && (
        <SegmentedControl
          aria-label="Views of the same name"
          value={answer}
          onChange={(value) => setAnswer(value === 'replace' || value === 'mine' ? value : 'both')}
          data={[
            { value: 'both', label: 'Keep both' },
            { value: 'replace', label: 'Replace mine' },
            { value: 'mine', label: 'Keep mine' },
          ]}
        />
      )}
      {isFull && (
        <p role="alert" className={classes.error}>
          There is room for {MOST_VIEWS} views.
        </p>
      )}
      {saved.onlyHeld && (
        <p className={classes.warn}>This browser blocks storage: imported views are lost with this page.</p>
      )}
      <DialogButtons onCancel={onClose}>
        <Button
          variant="filled"
          disabled={brings === 0 || isFull}
          title={!file ? 'Choose a file first' : brings === 0 ? 'There is nothing new in it' : ''}
          onClick={() => {
            if (!plan) return;
            saved.change((all) => imported(all, plan, answer));
            notifications.show({ message: `${count(brings)} imported`, color: 'indigo' });
            onClose();
          }}
        >
          {brings > 0 ? `Import ${count(brings)}` : 'Import'}
        </Button>
      </DialogButtons>
    </>
  );
}
