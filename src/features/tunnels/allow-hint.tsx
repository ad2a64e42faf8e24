// What to do on a device that does not allow a destination: only there can it be changed.
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { shellWord, updateCommand } from '#/features/install/install-commands.ts';
import type { Refusal } from './tunnel-choices.ts';
import classes from './open-tunnel.module.css';

export function AllowHint({ refusal: { text, list } }: { refusal: Refusal }) {
  return (
    <div className={classes.hint} role="note">
      <p>
        <strong>The device does not allow this tunnel.</strong> {text} Only on the device itself can that be changed:
      </p>
      <CommandLine
        label="On the device"
        command={`sudo sh -c ${shellWord(`sh /opt/muster/*/muster-agent allow-tunnels ${list}`)}`}
      />
      <details>
        <summary className="small dim">If that command is not known there</summary>
        <CommandLine label="Renew an older agent first" command={updateCommand(location.origin)} />
        <p className="small dim">
          An agent that was installed without root is in <span className="mono">~/.muster</span> and needs no sudo. One
          from a clone of the project is started with <span className="mono">--allow-tunnels {list}</span>.
        </p>
      </details>
    </div>
  );
}
