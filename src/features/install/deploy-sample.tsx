// Something to deploy for those who have nothing yet: uploads a small script, once, and opens the deploy of it, or runs it on a
// device at once.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { artifactMutations, artifactQueries } from '#/api/artifacts.ts';
import { submitJob } from '#/api/jobs.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { paths } from '#/paths.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
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

const TITLE = 'Uploads hello.sh, which prints a few lines about the device, and opens its deployment';

/** Uploads the sample unless it is stored already, and gives its artifact. */
function useSample() {
  const stored = useQuery(artifactQueries.list()).data;
  const [key] = useState(newIdempotencyKey);
  const { mutateAsync } = useMutation(artifactMutations.upload());
  return async (): Promise<string> => {
    const { name, version, destination, command, text } = SAMPLE;
    const same = stored?.find(({ Name, Version, IsScript }) => Name === name && Version === version && IsScript);
    if (same) return same.ArtifactId;
    const file = new File([text], name);
    const { ArtifactId } = await mutateAsync({
      file,
      form: { size: String(file.size), type: 'script', version, destination, command },
      key,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    return ArtifactId;
  };
}

interface DeploySampleProps {
  /** The target. */
  device?: string | undefined;
  variant?: 'filled' | 'default';
  size?: 'xs' | 'sm';
}

export function DeploySample({ device, variant = 'default', size = 'sm' }: DeploySampleProps) {
  const navigate = useNavigate();
  const noUpload = useMay([artifactEndpoints.upload, jobEndpoints.submit], 'Deploying a sample');
  const { mutate, isPending, error } = useMutation({ mutationFn: useSample() });
  return (
    <>
      <Gate why={noUpload}>
        <Button
          variant={variant}
          size={size}
          loading={isPending}
          title={TITLE}
          onClick={() =>
            mutate(undefined, {
              onSuccess: (artifact) => void navigate(paths.deploy({ ...(device && { device }), artifact })),
            })
          }
        >
          Deploy a sample
        </Button>
      </Gate>
      <FormError error={error} />
    </>
  );
}

interface RunSampleProps {
  device: string;
  name: string;
  onUpload: () => void;
  onStarted: () => void;
}

/** Runs the sample on one device without a review, as it changes nothing there, and opens its output. */
export function RunSample({ device, name, onUpload, onStarted }: RunSampleProps) {
  const navigate = useNavigate();
  const noUpload = useMay([artifactEndpoints.upload, jobEndpoints.submit], 'Deploying a sample');
  const sample = useSample();
  const [key] = useState(newIdempotencyKey);
  const { mutate, isPending, error } = useWrite({
    mutationFn: async () => {
      const ArtifactId = await sample();
      const Name = `${SAMPLE.name} ${SAMPLE.version} to ${name}`;
      return submitJob({ Name, DeviceId: device, ArtifactId }, key);
    },
    meta: { operation: jobEndpoints.submit },
  });
  return (
    <>
      <Gate why={noUpload}>
        <Button
          variant="filled"
          loading={isPending}
          title="Uploads hello.sh and runs it on this device"
          onClick={() => {
            onUpload();
            mutate(undefined, {
              onSuccess: ({ JobId }) => {
                onStarted();
                void navigate(paths.job(JobId), { replace: true });
              },
            });
          }}
        >
          Deploy a sample
        </Button>
      </Gate>
      <FormError error={error} />
    </>
  );
}
