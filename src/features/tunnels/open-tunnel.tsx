// The commands that open a tunnel on the device, for services that cannot open one from here.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { isLoopback, shellWord } from '#/features/install/install-commands.ts';
import classes from './open-tunnel.module.css';

const INSTALLED = (to: string) => `sudo sh -c 'sh /opt/muster/*/muster-agent tunnel ${to}'`;
const [WEB, SSH] = ['http://127.0.0.1:3000', 'tcp://127.0.0.1:22'];

export function OpenTunnel() {
  const upstream = useQuery(sessionQueries.current()).data?.Upstream;
  if (upstream !== undefined)
    return <p className={classes.note}>A device’s agent opens tunnels; see its documentation.</p>;
  const here = (
    <CommandLine
      key="here"
      label="From a clone of the project, for a web server on port 3000"
      command={`npm run agent -- --server ${shellWord(location.origin)} --tunnel ${WEB}`}
    />
  );
  const isHere = isLoopback(location.origin);
  return (
    <div className={classes.lines}>
      {isHere && here}
      <CommandLine label="On the device, for a web server on its port 3000" command={INSTALLED(WEB)} />
      <CommandLine label="On the device, for its SSH server" command={INSTALLED(SSH)} />
      {!isHere && here}
      <p className={classes.note}>
        From a clone, the agent starts again as the device that ran there before, and takes over from it. An agent that
        was installed without root is in <span className="mono">~/.muster</span> and needs no sudo. Its tunnels are
        listed in <span className="mono">tunnels.json</span> beside it, where each can get a login and an end, or be
        removed; <span className="mono">muster-agent restart</span> applies the change.
      </p>
    </div>
  );
}
