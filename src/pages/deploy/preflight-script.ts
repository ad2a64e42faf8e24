// The small script that finds out whether a device is fit for a deploy: plain POSIX sh, which changes nothing, says in its
// last line why a device failed, and ends with an exit code.

export interface Checks {
  /** At least so many megabytes are free on the disk that holds this folder. */
  disk?: { path: string; megabytes: number } | undefined;
  /** What this command prints has this text in it. */
  version?: { command: string; expected: string } | undefined;
  /** The battery, where there is one, has at least so many percent. */
  battery?: { percent: number } | undefined;
  /** Any other lines; they pass by ending with 0. */
  own?: string | undefined;
}

export const PASSED_MARK = 'preflight: passed';
export const FAILED_MARK = 'preflight: failed';

/** A value for a POSIX shell, whatever is in it. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const whole = (value: number) => String(Math.max(0, Math.trunc(value)));

export function preflightScript({ disk, version, battery, own }: Checks): string {
  const lines = ['#!/bin/sh', `fail() { echo "${FAILED_MARK}, $1"; exit 1; }`];
  if (disk)
    lines.push(
      `free=$(df -Pk -- ${quoted(disk.path || '/')} 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')`,
      `[ "\${free:-0}" -ge ${whole(disk.megabytes)} ] || fail "\${free:-unknown} MB free, ${whole(disk.megabytes)} needed"`,
    );
  if (version)
    lines.push(
      `found=$(${version.command.trim()}) || fail "the version cannot be read"`,
      `case "$found" in *${quoted(version.expected)}*) ;; *) fail "version is $found" ;; esac`,
    );
  if (battery)
    lines.push(
      'charge=$(cat /sys/class/power_supply/*/capacity 2>/dev/null | head -n 1)',
      `[ -z "$charge" ] || [ "$charge" -ge ${whole(battery.percent)} ] || fail "battery at $charge %"`,
    );
  if (own?.trim()) lines.push('(', own.trim(), `) || fail "own check ended with $?"`);
  lines.push(`echo "${PASSED_MARK}"`);
  return `${lines.join('\n')}\n`;
}

/** What it checks, for its name: "disk, battery". */
export const checksText = ({ disk, version, battery, own }: Checks): string =>
  [disk && 'disk', version && 'version', battery && 'battery', own?.trim() && 'custom lines']
    .filter(Boolean)
    .join(', ');

/** Why they are no preflight yet; undefined when they are. */
export function checksFault(checks: Checks): string | undefined {
  const { disk, version } = checks;
  if (checksText(checks) === '') return 'Choose a check first.';
  if (disk && !(disk.megabytes > 0)) return 'Enter how many megabytes must be free.';
  if (version && (version.command.trim() === '' || version.expected === ''))
    return 'Enter the command that prints the version, and what it must print.';
  return undefined;
}

/** What is checked on the devices of a deploy before it. */
export interface PreflightPlan {
  kind: 'checks' | 'workflow';
  checks: Checks;
  /** Id of the workflow. */
  workflow: string;
}

export const NEW_PREFLIGHT: PreflightPlan = {
  kind: 'checks',
  checks: { disk: { path: '/', megabytes: 200 } },
  workflow: '',
};

export const preflightFault = ({ kind, checks, workflow }: PreflightPlan): string | undefined =>
  kind === 'checks' ? checksFault(checks) : workflow === '' ? 'Choose the workflow that checks first.' : undefined;
