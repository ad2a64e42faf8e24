// The script that checks whether a device is ready for a deploy: plain POSIX sh that changes nothing, prints in its last
// line why a device failed, and exits with a code.

export interface Checks {
  /** At least this many megabytes are free on the disk with this folder. */
  disk?: { path: string; megabytes: number } | undefined;
  /** The output of this command contains this text. */
  version?: { command: string; expected: string } | undefined;
  /** The battery, if there is one, has at least this charge. */
  battery?: { percent: number } | undefined;
  /** Custom lines, which pass if they exit with 0. */
  own?: string | undefined;
}

export const PASSED_MARK = 'preflight: passed';
export const FAILED_MARK = 'preflight: failed';

/** Quotes any value for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const toInteger = (value: number) => String(Math.max(0, Math.trunc(value)));

export function preflightScript({ disk, version, battery, own }: Checks): string {
  const lines = ['#!/bin/sh', `fail() { echo "${FAILED_MARK}, $1"; exit 1; }`];
  if (disk)
    lines.push(
      `free=$(df -Pk -- ${quoted(disk.path || '/')} 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')`,
      `[ "\${free:-0}" -ge ${toInteger(disk.megabytes)} ] || fail "\${free:-unknown} MB free, ${toInteger(disk.megabytes)} needed"`,
    );
  if (version)
    lines.push(
      `found=$(${version.command.trim()}) || fail "the version cannot be read"`,
      `case "$found" in *${quoted(version.expected)}*) ;; *) fail "version is $found" ;; esac`,
    );
  if (battery)
    lines.push(
      'charge=$(cat /sys/class/power_supply/*/capacity 2>/dev/null | head -n 1)',
      `[ -z "$charge" ] || [ "$charge" -ge ${toInteger(battery.percent)} ] || fail "battery at $charge %"`,
    );
  if (own?.trim()) lines.push('(', own.trim(), `) || fail "own check ended with $?"`);
  lines.push(`echo "${PASSED_MARK}"`);
  return `${lines.join('\n')}\n`;
}

/** The names of the checks: "disk, battery". */
export const checksText = ({ disk, version, battery, own }: Checks): string =>
  [disk && 'disk', version && 'version', battery && 'battery', own?.trim() && 'custom lines']
    .filter(Boolean)
    .join(', ');

/** Why the checks are incomplete; undefined if they are valid. */
export function checksFault(checks: Checks): string | undefined {
  const { disk, version } = checks;
  if (checksText(checks) === '') return 'Choose a check first.';
  if (disk && !(disk.megabytes > 0)) return 'Enter how many megabytes must be free.';
  if (version && (version.command.trim() === '' || version.expected === ''))
    return 'Enter the command that prints the version, and what it must print.';
  return undefined;
}

/** The checks that run on the devices before a deploy. */
export interface PreflightPlan {
  kind: 'checks' | 'workflow';
  checks: Checks;
  /** The id of the workflow. */
  workflow: string;
}

export const NEW_PREFLIGHT: PreflightPlan = {
  kind: 'checks',
  checks: { disk: { path: '/', megabytes: 200 } },
  workflow: '',
};

export const preflightFault = ({ kind, checks, workflow }: PreflightPlan): string | undefined =>
  kind === 'checks' ? checksFault(checks) : workflow === '' ? 'Choose the workflow that checks first.' : undefined;
