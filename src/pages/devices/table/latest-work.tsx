// What was deployed last to the devices in view, and their last jobs. They are read beside the list of devices, and only for
// the rows on the screen, so that the list itself is as fast as without them.
import { createContext, use, useSyncExternalStore, type MouseEvent } from 'react';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import classes from './device-table.module.css';

/** As the two columns show it. */
export interface WorkOfDevice {
  version: string;
  artifact: string;
  job: { name: string; path: string; state: string } | undefined;
}

export interface WorkStore {
  get: (id: string) => WorkOfDevice | undefined;
  put: (items: ReadonlyMap<string, WorkOfDevice>) => void;
  subscribe: (listener: () => void) => () => void;
}

export function createWorkStore(): WorkStore {
  const known = new Map<string, WorkOfDevice>();
  const listeners = new Set<() => void>();
  return {
    get: (id) => known.get(id),
    put: (items) => {
      for (const [id, item] of items) known.set(id, item);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Follows a link without a load of the page. */
type Follow = (event: MouseEvent<HTMLAnchorElement>) => void;

export const WorkContext = createContext<WorkStore | undefined>(undefined);

const nothing = () => () => undefined;

function useWorkOf(id: string): WorkOfDevice | undefined {
  const store = use(WorkContext);
  return useSyncExternalStore(store?.subscribe ?? nothing, () => store?.get(id));
}

export function VersionCell({ id }: { id: string }) {
  const { version, artifact } = useWorkOf(id) ?? {};
  return (
    version && (
      <span title={`${artifact} ${version}`}>
        {version} <span className="dim">{artifact}</span>
      </span>
    )
  );
}

export function LastJobCell({ id, follow }: { id: string; follow: Follow }) {
  const { job } = useWorkOf(id) ?? {};
  return (
    job && (
      <a href={job.path} className={classes.job} title={job.name} onClick={follow}>
        <StateMark state={job.state} />
        <span className="visually-hidden"> {job.name}</span>
      </a>
    )
  );
}
