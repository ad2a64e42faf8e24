// How a machine becomes a device of the service in use: by our commands, by those that the operator of the gateway has set
// for the service behind, or by that one's own documentation.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { installCommands, shellWord } from './install-commands.ts';

export interface Install {
  command: ((key: string) => string) | undefined;
  /** The other service, as people know it; undefined: devices run our agent. */
  host: string | undefined;
}

export function useInstall(): Install {
  const { Upstream, InstallCommand } = useQuery(sessionQueries.current()).data ?? {};
  return useMemo(() => {
    if (Upstream === undefined)
      return { host: undefined, command: (key: string) => installCommands(location.origin, key).curl };
    return {
      host: URL.parse(Upstream)?.host ?? Upstream,
      command:
        InstallCommand === undefined
          ? undefined
          : (key: string) => InstallCommand.replaceAll('{key}', () => shellWord(key)),
    };
  }, [Upstream, InstallCommand]);
}
