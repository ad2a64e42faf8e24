// Texts about the problem of a device's agent.
import type { AgentProblem, Device } from '#/contract/devices.ts';

const PROBLEM_WORDS: Record<AgentProblem, string> = {
  TooOld: 'Agent too old',
  TooNew: 'Agent too new',
  UpdateFailed: 'Agent update failed',
};

const isProblem = (value: string | undefined): value is AgentProblem => value !== undefined && value in PROBLEM_WORDS;

/** Describes a kind of problem. An unknown one, of a newer service, is shown as it is. */
export const problemWords = (problem: string): string => (isProblem(problem) ? PROBLEM_WORDS[problem] : problem);

/** "Agent too old (0.0.9): update it"; undefined without a problem, or if the service does not report it. */
export function problemText({ AgentProblem: problem, AgentVersion }: Device): string | undefined {
  if (!problem) return undefined;
  const words = `${problemWords(problem)}${AgentVersion ? ` (${AgentVersion})` : ''}`;
  if (problem === 'TooOld') return `${words}: update it`;
  if (problem === 'TooNew') return `${words}: update the service`;
  return problem === 'UpdateFailed' ? `${PROBLEM_WORDS[problem]}, still running ${AgentVersion}` : words;
}
