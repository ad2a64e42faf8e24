// The dialogs of the views menu: save, rename, delete.
import { useState } from 'react';
import { Checkbox } from '@mantine/core';
import { viewEndpoints, type SavedView } from '#/contract/views.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { viewMutations, viewNamed } from '#/api/view-writes.ts';
import type { ShownView } from './use-saved-views.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { useMay } from '#/api/people.ts';

export type ViewTask = 'save' | 'rename' | 'delete';

interface ViewsDialogProps {
  task: ViewTask;
  view: ShownView;
  onGo: (search: string) => void;
  onClose: () => void;
}

export function ViewsDialog({ task, ...props }: ViewsDialogProps) {
  const { applied } = props.view;
  if (task === 'save') return <Name {...props} />;
  if (!applied) return null;
  return task === 'rename' ? <Name renamed={applied} {...props} /> : <Delete applied={applied} {...props} />;
}

type PartProps = Omit<ViewsDialogProps, 'task'>;

const RULES = formRules(viewEndpoints.save.params, { name: 'Name' });

function Name({ view, renamed, onGo, onClose }: PartProps & { renamed?: SavedView }) {
  const { saved, words } = view;
  const noSharing = useMay(viewEndpoints.save, 'Sharing a view', { Private: false });
  const [isMarked, setPrivate] = useState(renamed?.Private ?? false);
  const isPrivate = isMarked || noSharing !== undefined;
  const content = { Query: renamed?.Query ?? words, Private: isPrivate };
  return (
    <FormDialog
      onClose={onClose}
      title={renamed ? 'Rename view' : 'Save this view'}
      rules={RULES}
      initial={{ name: renamed?.Name ?? '' }}
      bodyOf={({ name }) => ({ name: name.replace(/\s+/g, ' ').trim() })}
      notReady={({ name }) => {
        const same = viewNamed(saved.views ?? [], name);
        return same && same !== renamed ? 'A view with this name exists' : undefined;
      }}
      write={renamed ? viewMutations.rename(renamed) : viewMutations.save(content)}
      request={({ name }) => requestOf(viewEndpoints.save, { params: { name: name || 'NAME' }, body: content })}
      submitLabel={renamed ? 'Rename' : 'Save view'}
      onDone={(_, { name }) => {
        onGo(view.searchOf({ Name: name, Query: content.Query }));
        onClose();
      }}
    >
      {({ field }) => (
        <>
          <TextField autoComplete="off" required data-autofocus {...field('name')} />
          {!renamed && (
            <>
              {noSharing === undefined && (
                <Checkbox
                  label="Private: only I can see it"
                  checked={isPrivate}
                  onChange={(event) => setPrivate(event.currentTarget.checked)}
                />
              )}
              <p className="dim">
                Saves the {view.content}
                {noSharing !== undefined
                  ? ` for you alone. ${noSharing}`
                  : isPrivate
                    ? '.'
                    : ' for everyone in this account.'}
              </p>
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

function Delete({ applied, onGo, onClose }: PartProps & { applied: SavedView }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete view"
      confirmLabel="Delete view"
      write={{
        ...viewMutations.remove(applied),
        request: requestOf(viewEndpoints.remove, { params: { name: applied.Name } }),
      }}
      onDone={() => {
        onGo('');
        onClose();
      }}
    >
      <strong>
        <bdi>{applied.Name}</bdi>
      </strong>{' '}
      will be deleted{!applied.Private && ' for everyone in this account'}. No devices are changed, and links to it
      still work.
    </ConfirmDialog>
  );
}
