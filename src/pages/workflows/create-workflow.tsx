// A new workflow: a name and a command. What was typed stays when the dialog is closed by mistake.
import { useState } from 'react';
import { Textarea } from '@mantine/core';
import { TextField } from '#/ui/form/text-field.tsx';
import { workflowDraft, workflowEndpoints } from '#/contract/workflows.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { formRules } from '#/api/form-rules.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { workflowMutations } from '#/api/workflows.ts';
import { paths } from '#/paths.ts';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';

const UNCONFIRMED = unconfirmed('workflow', { label: 'See the workflows', to: paths.workflows() });
const RULES = formRules(workflowDraft, { Name: 'Name', Command: 'Command' });

export function CreateWorkflow({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [keys] = useState(() => new RequestKeys());
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="Create workflow"
      size="lg"
      rules={RULES}
      initial={{ Name: '', Command: '' }}
      bodyOf={(draft) => draft}
      write={workflowMutations.create(keys)}
      request={(body) => requestOf(workflowEndpoints.create, { body })}
      explain={UNCONFIRMED}
      submitLabel="Create workflow"
      onDone={onClose}
    >
      {({ field }) => (
        <>
          <TextField
            description="What it does, in a few words."
            placeholder="Restart the camera service"
            autoComplete="off"
            required
            data-autofocus
            {...field('Name')}
          />
          <Textarea
            description="Runs on each device. Use full paths: a device’s PATH may be short."
            placeholder="/usr/bin/systemctl restart camera"
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            required
            {...field('Command')}
          />
        </>
      )}
    </FormDialog>
  );
}
