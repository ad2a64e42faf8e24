// A preflight runs as a workflow, which needs no storage. A workflow with the same lines is reused.
import { call } from '#/api/call.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import { checksText, preflightScript, type PreflightPlan } from './preflight-script.ts';

const LONGEST_NAME = 255;

/** The id of the workflow for this plan, which is created if none has the same lines. */
export async function preflightWorkflow({ kind, checks, workflow }: PreflightPlan): Promise<string> {
  if (kind === 'workflow') return workflow;
  const Command = preflightScript(checks);
  const known = (await call(workflowEndpoints.list, {})).find((each) => each.Command === Command);
  if (known) return known.WorkflowId;
  const body = { Name: `Preflight: ${checksText(checks)}`, Command };
  return (await call(workflowEndpoints.create, { body })).WorkflowId;
}

const two = (value: number) => String(value).padStart(2, '0');

/** "Preflight 2026-11-02 14:03:09, app.tar.gz 1.2.0" */
export function preflightName(payload: string, now: Date): string {
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':');
  return `Preflight ${day} ${time}, ${payload}`.slice(0, LONGEST_NAME);
}
