// The last step: the archive itself, inspected like any other file before it is sent.
import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import type { Packed } from '#/pages/artifacts/inspect/archive-worker.ts';
import { packInWorker } from '#/pages/artifacts/inspect/ask-archive-worker.ts';
import { CheckList } from '#/pages/artifacts/inspect/check-list.tsx';
import { refuses, type Finding } from '#/pages/artifacts/inspect/finding.ts';
import { InspectedContents } from '#/pages/artifacts/inspect/inspected-contents.tsx';
import { formatBytes } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { fileNameOf } from './artifact-name.ts';
import type { Builder } from './use-builder.ts';

/** The archive with its version. `isReady`: nothing is in the way of its upload. */
export type OnBuilt = (file: File, version: string, isReady: boolean) => void;

interface BuilderPreviewProps {
  builder: Builder;
  /** Conflicts with the account and the registry. */
  conflictsOf: (file: { name: string; size: number; version: string; sha256: string | undefined }) => Finding[];
  onBuilt: OnBuilt;
  onBack: () => void;
}

/** Names the largest files, for the user to leave some out. */
function tooLarge({ files }: Builder, size: number, limit: number): Finding {
  const largest = files
    .toSorted(([, a], [, b]) => b.size - a.size)
    .slice(0, 5)
    .map(([path, file]) => `${path} (${formatBytes(file.size)})`);
  return {
    level: 'error',
    text: `The packed archive is ${formatBytes(size)}, but an artifact must be smaller than ${formatBytes(limit)}`,
    fix: `The largest files are ${largest.join(', ')}. Leave out what devices do not need, or let update.sh download it.`,
  };
}

export function BuilderPreview({ builder, conflictsOf, onBuilt, onBack }: BuilderPreviewProps) {
  const [packed, setPacked] = useState<Packed>();
  const [fault, setFault] = useState<Error | null>(null);
  // Packed once, since nothing can change while this step is open.
  const [packRequest] = useState(builder.packRequest);
  useEffect(() => {
    const abort = new AbortController();
    packInWorker(packRequest, abort.signal).then(setPacked, (error: unknown) => {
      if (abort.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      setFault(new Error(`The archive could not be packed: ${reason}`));
    });
    return () => abort.abort();
  }, [packRequest]);

  const name = fileNameOf(builder.fields.name, builder.fields.version);
  const version = builder.fields.version.trim();
  const own = packed && (packed.inspection?.findings ?? [tooLarge(builder, packed.size, packRequest.limit)]);
  const sha256 = packed?.inspection?.sha256;
  const conflicts = packed?.inspection ? conflictsOf({ name, size: packed.size, version, sha256 }) : [];
  const findings = own && [...own, ...conflicts];
  const refused = own ? refuses(own) : false;
  // Only the storage can be in the way, and the page of uploads has what makes room.
  const isReady = !refuses(conflicts);
  const content = packed?.content;
  const why = refused ? 'The archive has errors: see the list of checks' : content ? undefined : 'Still being packed';
  return (
    <>
      <p>
        <strong>{name}</strong> {packed && <span className="dim tabular">{formatBytes(packed.size)}</span>}
      </p>
      <FormError error={fault} />
      {!fault && <CheckList findings={findings} sha256={sha256} />}
      {packed?.inspection && <InspectedContents inspection={packed.inspection} />}
      <div className="actions">
        <Button onClick={onBack}>Back</Button>
        <Gate why={why}>
          <Button
            variant="filled"
            onClick={() =>
              content && onBuilt(new File([content], name, { type: 'application/gzip' }), version, isReady)
            }
          >
            {isReady ? 'Upload' : 'Add to uploads'}
          </Button>
        </Gate>
      </div>
    </>
  );
}
