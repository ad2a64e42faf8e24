// How a machine becomes a device of this service: by our commands, by those that the gateway's operator configured for the
// service behind it, or as that service's documentation says.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { installCommands, shellWord } from './install-commands.ts';

/** `allowTunnels` is an option of our own agent only. */
export type InstallCommand = (key: string, allowTunnels?: boolean) => string;

/** `host`: the service behind the gateway; undefined if devices run our agent. */
export function useInstall(): { host: string | undefined; command: InstallCommand | undefined } {
  const { Upstream, InstallCommand: template } = useQuery(sessionQueries.current()).data ?? {};
  return useMemo(() => {
    const own = (key: string, allowTunnels = false) => installCommands(location.origin, key, { allowTunnels }).curl;
    if (Upstream === undefined) return { host: undefined, command: own };
    const given = template && ((key: string) => template.replaceAll('{key}', () => shellWord(key)));
    return { host: URL.parse(Upstream)?.host ?? Upstream, command: given || undefined };
  }, [Upstream, template]);
}
