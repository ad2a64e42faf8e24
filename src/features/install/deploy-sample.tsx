// Something to deploy for those who have nothing yet: uploads a small script, once, and opens the deploy of it.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { artifactMutations, artifactQueries } from '#/api/artifacts.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { paths } from '#/paths.ts';
import { FormError } from '#/ui/page/view.tsx';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const SAMPLE = {
  name: 'hello.sh',
  version: '1.0.0',
  destination: '/tmp/muster-sample',
  command: './hello.sh',
  text: `#!/bin/sh
echo "Hello from $(uname -n)"
uname -sr
df -h .
for second in 1 2 3; do
  echo "Working, $second of 3"
  sleep 1
done
echo "Done"
`,
};

interface DeploySampleProps {
  /** The target. */
  device?: string | undefined;
  /** Replaces the current entry of the browser history. */
  replace?: boolean;
  variant?: 'filled' | 'default';
  size?: 'xs' | 'sm';
}

export function DeploySample({ device, replace = false, variant = 'default', size = 'sm' }: DeploySampleProps) {
  const navigate = useNavigate();
  const noUpload = useMay([artifactEndpoints.upload, jobEndpoints.submit], 'Deploying a sample');
  const stored = useQuery(artifactQueries.list()).data;
  const [key] = useState(newIdempotencyKey);
  const { mutate, isPending, error } = useMutation(artifactMutations.upload());
  const open = (artifact: string) => void navigate(paths.deploy({ ...(device && { device }), artifact }), { replace });
  const deploy = () => {
    const { name, version, destination, command, text } = SAMPLE;
    const same = stored?.find(({ Name, Version, IsScript }) => Name === name && Version === version && IsScript);
    if (same) return open(same.ArtifactId);
    const file = new File([text], name);
    mutate(
      {
        file,
        form: { size: String(file.size), type: 'script', version, destination, command },
        key,
        signal: new AbortController().signal,
        onProgress: () => undefined,
      },
      { onSuccess: ({ ArtifactId }) => open(ArtifactId) },
    );
  };
  return (
    <>
      <Gate why={noUpload}>
        <Button
          variant={variant}
          size={size}
          loading={isPending}
          title="Uploads hello.sh, which prints a few lines about the device, and opens its deployment"
          onClick={deploy}
        >
          Deploy a sample
        </Button>
      </Gate>
      <FormError error={error} />
    </>
  );
}
