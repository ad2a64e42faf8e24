// The contract's schemas for OpenAPI; shared ones have names.
import * as z from 'zod/mini';
import { account, apiToken, newApiToken } from '#/contract/account.ts';
import { artifact } from '#/contract/artifacts.ts';
import { device, deviceLocation, newDevice, position } from '#/contract/devices.ts';
import { jobDraft } from '#/contract/job-draft.ts';
import { job } from '#/contract/jobs.ts';
import { problem } from '#/contract/problem.ts';
import { tag } from '#/contract/tags.ts';
import { tunnel } from '#/contract/tunnels.ts';
import { workflow, workflowDraft } from '#/contract/workflows.ts';

/** A part of the document. */
export type Json = Record<string, unknown>;

/** Schemas with a name in the document. */
const NAMED = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  Account: account,
  ApiToken: apiToken,
  NewApiToken: newApiToken,
  Artifact: artifact,
  Device: device,
  DeviceLocation: deviceLocation,
  NewDevice: newDevice,
  Position: position,
  Job: job,
  JobDraft: jobDraft,
  Problem: problem,
  Tag: tag,
  Tunnel: tunnel,
  Workflow: workflow,
  WorkflowDraft: workflowDraft,
}))
  NAMED.add(schema, { id });

/**
 * A schema for the document. Requests may contain more than is read ('input'); answers are shown as this service writes
 * them ('output'), not as leniently as the dashboard reads those of other services.
 */
export function schemaOf(schema: z.ZodMiniType, components: Json, io: 'input' | 'output' = 'output'): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...made
  } = z.toJSONSchema(schema, {
    io,
    metadata: NAMED,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Limits of the number type are no information.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // What the dashboard makes of a missing number; JSON would turn it into null, which is no number.
      if (Number.isNaN(jsonSchema.default)) delete jsonSchema.default;
    },
  }) as Json & { $defs?: Record<string, Json> };
  // Each call includes the named schemas it uses; the document lists them once.
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) components[name] = moved(definition);
  return moved(made) as Json;
}

function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : moved(inner),
    ]),
  );
}
