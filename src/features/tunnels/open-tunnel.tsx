// How a tunnel is opened: only by the agent on the device. The commands to paste there.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import classes from './open-tunnel.module.css';

const INSTALLED = (to: string) => `sudo sh -c 'sh /opt/muster/*/muster-agent tunnel ${to}'`;
const [WEB, SSH] = ['http://127.0.0.1:3000', 'tcp://127.0.0.1:22'];

export function OpenTunnel() {
  const upstream = useQuery(sessionQueries.current()).data?.Upstream;
  if (upstream !== undefined)
    return <p className={classes.note}>A device’s agent opens tunnels; see that agent’s documentation.</p>;
  return (
    <div className={classes.lines}>
      <CommandLine label="On the device, for a web server on its port 3000" command={INSTALLED(WEB)} />
      <CommandLine label="On the device, for its SSH server" command={INSTALLED(SSH)} />
      <CommandLine
        label="From a clone of the project, with its tunnel"
        command={`npm run agent -- --server ${location.origin} --key-file device.key --tunnel ${WEB}`}
      />
      <p className={classes.note}>
        An agent that was installed without root is in <span className="mono">~/.muster</span> and needs no sudo. Its
        tunnels are listed in <span className="mono">tunnels.json</span> beside it, where each can get a login and an
        end, or be removed; <span className="mono">muster-agent restart</span> applies the change.
      </p>
    </div>
  );
}

export function OpenTunnelDialog({ onClose }: { onClose: () => void }) {
  return (
    <BaseDialog onClose={onClose} title="Open a tunnel" size="lg">
      <OpenTunnel />
    </BaseDialog>
  );
}
