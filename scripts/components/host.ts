// What run.ts gives the component tests. In a file of its own because it is compiled with the dashboard, which has other
// global types than the service.

export interface RunningService {
  url: string;
  token: string | undefined;
  signinLink: string;
  /** `offset` is added to the service's time, in milliseconds. */
  clock: { offset: number };
  end: () => Promise<void>;
}

interface Host {
  startService: (env: Record<string, string>) => Promise<RunningService>;
  /** Gives the document another address without loading anything. */
  setAddress: (url: string) => void;
}

const notRun = () => {
  throw new Error('Component tests are started by "npm test -- <file>"');
};

export const host: Host = { startService: notRun, setAddress: notRun };
