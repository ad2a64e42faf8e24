// How a machine becomes a device of the service in use: by our commands, by those that the operator of the gateway has set
// for the service behind, or by that one's own documentation.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { installCommands, shellWord } from './install-commands.ts';

/** `host`: the other service, as people know it; undefined: devices run our agent. */
export function useInstall() {
  const { Upstream, InstallCommand } = useQuery(sessionQueries.current()).data ?? {};
  return useMemo(() => {
    const own = (key: string) => installCommands(location.origin, key).curl;
    if (Upstream === undefined) return { host: undefined, command: own };
    const given = InstallCommand && ((key: string) => InstallCommand.replaceAll('{key}', () => shellWord(key)));
    return { host: URL.parse(Upstream)?.host ?? Upstream, command: given || undefined };
  }, [Upstream, InstallCommand]);
}
