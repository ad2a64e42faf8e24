// What the demo deploys. Each program is a shell script that the agents run on this machine, so all of them are harmless; a
// script of the same words says how it went in the month before.
import { chanceOf } from './chance.ts';
import type { DemoDevice } from './fleet.ts';
import type { Scripted } from './scripted-agents.ts';

export interface Program {
  /** File name of the artifact. */
  file: string;
  version: string;
  text: string;
  goes: (device: DemoDevice, nth: number) => Scripted;
}
export interface Command {
  name: string;
  command: string;
  goes: (device: DemoDevice, nth: number) => Scripted;
}

const shell = (lines: string) => `#!/bin/sh\n${lines}`;

const between = (chance: number, from: number, to: number) => from + chance * (to - from);
/** Most take about as long, and some much longer. */
const tail = (chance: number, usual: number, longest: number) =>
  usual * (0.7 + 0.6 * chance) + (chance > 0.9 ? (longest - usual) * (chance - 0.9) * 10 : 0);

const ok = (seconds: number, ...lines: string[]): Scripted => ({ seconds, exitCode: 0, stdout: ended(lines) });
const ended = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

// ---- A report --------------------------------------------------------------------------------------------------------

export const REPORT: Program = {
  file: 'report.sh',
  version: '1.0.0',
  text: shell(`# Tells about the machine; harmless and quick.
echo "host: $(uname -n)"
echo "kernel: $(uname -sr)"
echo "disk:"
df -h / | tail -n 1
`),
  goes: ({ name, chance }) => {
    const used = Math.floor(between(chanceOf(`disk of ${name}`), 31, 88));
    const lines = [`host: ${name}`, 'kernel: Linux 6.6.31', 'disk:'];
    if (chance() < 0.003)
      return {
        seconds: 12,
        exitCode: 1,
        stdout: ended(lines),
        stderr: 'df: /: Input/output error\n',
      };
    return ok(between(chance(), 1, 4), ...lines, `/dev/mmcblk0p2   29G   ${(used * 0.29).toFixed(1)}G  ${used}% /`);
  },
};

// ---- Firmware --------------------------------------------------------------------------------------------------------

/** A realistic update: most succeed, some fail, and one that rolled back still exits with 0. */
const updateTo = (version: string) =>
  shell(`number=$(printf %s "$MUSTER_JOB_ID" | cksum | cut -d ' ' -f 1)
echo "Checking free space: $((number % 700 + 200)) MB"
sleep "$((number % 3)).$((number % 10))"
if [ $((number % 11)) -eq 0 ]; then
  echo "write /var/lib/firmware/part-$((number % 40)).img: No space left on device" >&2
  exit 28
fi
echo "Installing firmware ${version}"
sleep 1
if [ $((number % 13)) -eq 1 ]; then
  echo "self test $((number % 5)): sensor bus answered 0x$(printf %02x $((number % 256)))" >&2
  echo "starting the previous version"
  printf '\\033[33mrolled back\\033[0m, running the previous version\\n'
  exit 0
fi
if [ $((number % 17)) -eq 2 ]; then
  echo "connect to registry.local:$((5000 + number % 9)): timed out after $((number % 20 + 10)) s" >&2
  exit 1
fi
printf '\\033[32mDone\\033[0m, running ${version}\\n'
`);

interface Risk {
  full?: number;
  rolledBack?: number;
  timedOut?: number;
}
/** How a version goes wrong, by group. */
const RISKS: Record<string, Record<string, Risk>> = {
  '2.2.0': {},
  // The new images need more room than the log partition of a camera leaves, and the sensors lack a driver.
  '2.3.0': { cameras: { full: 0.3 }, sensors: { rolledBack: 0.6 } },
  '2.3.1': {},
  '2.4.0': { cameras: { timedOut: 0.24, full: 0.05 } },
};
const USUAL: Risk = { full: 0.02, rolledBack: 0.01, timedOut: 0.02 };

const firmware = (version: string): Program => ({
  file: 'update-firmware.sh',
  version,
  text: updateTo(version),
  goes: ({ name, group, chance }, nth) => {
    const risk = { ...USUAL, ...RISKS[version]?.[group] };
    const number = Math.floor(chance() * 1_000);
    const seconds = tail(chance(), 75, 420);
    const begun = [`Checking free space: ${(number % 700) + 200} MB`];
    // What went wrong once rarely does a second time: somebody has seen to it.
    let draw = chanceOf(`${name} gets ${version}`) / (nth === 0 ? 1 : 0.05);
    if (draw < (risk.full ?? 0)) {
      const stderr = `write /var/lib/firmware/part-${number % 40}.img: No space left on device\n`;
      return { seconds: seconds * 0.6, exitCode: 28, stdout: ended(begun), stderr };
    }
    draw -= risk.full ?? 0;
    begun.push(`Installing firmware ${version}`);
    if (draw < (risk.rolledBack ?? 0))
      return {
        seconds: seconds * 1.4,
        exitCode: 0,
        stdout: ended([
          ...begun,
          'starting the previous version',
          '\u001B[33mrolled back\u001B[0m, running the previous version',
        ]),
        stderr: `self test ${number % 5}: sensor bus answered 0x${(number % 256).toString(16).padStart(2, '0')}\n`,
      };
    draw -= risk.rolledBack ?? 0;
    if (draw < (risk.timedOut ?? 0)) {
      const stderr = `connect to registry.local:${5_000 + (number % 9)}: timed out after ${(number % 20) + 10} s\n`;
      return { seconds: seconds * 0.4, exitCode: 1, stdout: ended(begun), stderr };
    }
    return ok(seconds, ...begun, `\u001B[32mDone\u001B[0m, running ${version}`);
  },
});

export const FIRMWARE = {
  '2.2.0': firmware('2.2.0'),
  '2.3.0': firmware('2.3.0'),
  '2.3.1': firmware('2.3.1'),
  '2.4.0': firmware('2.4.0'),
} as const;

// ---- The app of the kiosks -------------------------------------------------------------------------------------------

const kioskApp = (version: string): Program => ({
  file: 'kiosk-app.sh',
  version,
  text: shell(`echo "Unpacking kiosk-app ${version}"
sleep 1
echo "Restarting the player"
sleep 1
echo "Player ${version} answers on port 8080"
`),
  goes: ({ name, chance }, nth) => {
    const seconds = tail(chance(), 28, 150);
    const begun = [`Unpacking kiosk-app ${version}`, 'Restarting the player'];
    if (nth === 0 && chanceOf(`${name} gets app ${version}`) < 0.05)
      return {
        seconds: seconds + 30,
        exitCode: 7,
        stdout: ended(begun),
        stderr: 'player did not answer on port 8080 within 30 s\n',
      };
    return ok(seconds, ...begun, `Player ${version} answers on port 8080`);
  },
});

export const KIOSK_APP = {
  '5.1.0': kioskApp('5.1.0'),
  '5.2.0': kioskApp('5.2.0'),
  '5.3.0': kioskApp('5.3.0'),
} as const;

// ---- Workflows -------------------------------------------------------------------------------------------------------

export const COMMANDS = {
  clearLogs: {
    name: 'Clear the log partition',
    command: 'echo "Vacuuming the journal: 412 MB freed"',
    goes: ({ chance }) =>
      ok(between(chance(), 3, 14), `Vacuuming the journal: ${Math.round(between(chance(), 120, 640))} MB freed`),
  },
  checkDisk: {
    name: 'Check the disk',
    command: `if [ $(($$ % 3)) -eq 0 ]; then
  echo "self test of the disk: 14 pending sectors" >&2
  exit 1
fi
echo "self test of the disk: passed"`,
    goes: ({ name, chance }) =>
      chanceOf(`sectors of ${name}`) < 0.3
        ? { seconds: 40, exitCode: 1, stdout: '', stderr: 'self test of the disk: 14 pending sectors\n' }
        : ok(between(chance(), 20, 60), 'self test of the disk: passed'),
  },
  restartPlayer: {
    name: 'Restart the player',
    command: 'echo "player: restarted"; sleep 1; echo "player: answers on port 8080"',
    goes: ({ chance }) => ok(between(chance(), 2, 8), 'player: restarted', 'player: answers on port 8080'),
  },
} as const satisfies Record<string, Command>;
