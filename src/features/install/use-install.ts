// How a machine becomes a device of this service: by our commands, by those that the gateway's operator configured for the
// service behind it, or as that service's documentation says.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { installCommands, shellWord } from './install-commands.ts';

/** `host`: the service behind the gateway; undefined if devices run our agent. */
export function useInstall() {
  const { Upstream, InstallCommand } = useQuery(sessionQueries.current()).data ?? {};
  return useMemo(() => {
    const own = (key: string) => installCommands(location.origin, key).curl;
    if (Upstream === undefined) return { host: undefined, command: own };
    const given = InstallCommand && ((key: string) => InstallCommand.replaceAll('{key}', () => shellWord(key)));
    return { host: URL.parse(Upstream)?.host ?? Upstream, command: given || undefined };
  }, [Upstream, InstallCommand]);
}
