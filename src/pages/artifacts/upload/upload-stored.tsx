// A file of the queue that has been stored.
import { useEffect, useRef } from 'react';
import { Button } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { paths } from '#/paths.ts';
import { useDeployTarget } from '#/features/deploy-target/deploy-target.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './upload.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

interface UploadStoredProps {
  id: string;
  /** As they were sent: a service need not answer with more than the id. */
  name: string;
  version: string;
  onRemove: () => void;
}

export function UploadStored({ id, name, version, onRemove }: UploadStoredProps) {
  const target = useDeployTarget();
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const next = useRef<HTMLAnchorElement>(null);
  // It replaces the form's button, and takes its focus.
  useEffect(() => {
    if (isFocusLost()) next.current?.focus();
  }, []);
  return (
    <div className={classes.stored}>
      <IconCheck size={18} stroke={1.6} aria-hidden />
      <span>
        <strong>
          <bdi>
            {name} {version}
          </bdi>
        </strong>{' '}
        is stored and ready to deploy.
      </span>
      <Gate why={noDeploy}>
        <Button
          variant="filled"
          component={Link}
          to={paths.deploy({ ...target, artifact: id })}
          ref={next}
          aria-label={`Deploy it: ${name} ${version}`}
        >
          Deploy it
        </Button>
      </Gate>
      <IconButton
        icon={IconX}
        iconSize={18}
        label={`Remove ${name} from the list`}
        title="Remove from the list"
        onClick={onRemove}
      />
    </div>
  );
}
