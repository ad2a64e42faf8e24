// OpenSSH, with which tunnels are compared: a server and a client on this machine, with their own keys and settings,
// and a port that leads back through both (`ssh -R`).
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { freePort, TestProcess, until } from '../test-process.ts';

export interface SshTunnel {
  port: number;
  close(): void;
}

/** A program's full path: the server refuses any other, and is often outside a user's PATH. */
const find = (name: string): string | undefined =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/sbin', '/bin']
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));

/** Opens a tunnel to a port of this machine; returns a text if that is not possible. */
export async function openSshTunnel(to: number): Promise<SshTunnel | string> {
  const [sshd, ssh, keygen] = [find('sshd'), find('ssh'), find('ssh-keygen')];
  if (!sshd || !ssh || !keygen) return 'OpenSSH (ssh and sshd) is not on this machine';
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-bench-ssh-'));
  const programs: TestProcess[] = [];
  const start = (command: string, args: string[]) => {
    const program = new TestProcess(args, { command });
    programs.push(program);
    return program;
  };
  const close = () => {
    for (const { child } of programs) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [hostKey, userKey] = [path.join(folder, 'host'), path.join(folder, 'user')];
    for (const key of [hostKey, userKey]) execFileSync(keygen, ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    // A server that runs as root needs this folder for its unprivileged part.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const [serverPort, port] = [await freePort(), await freePort()];
    const settings = {
      HostKey: hostKey,
      AuthorizedKeysFile: `${userKey}.pub`,
      ListenAddress: '127.0.0.1',
      Port: serverPort,
      PidFile: 'none',
      StrictModes: 'no',
      UsePAM: 'no',
      PasswordAuthentication: 'no',
      PermitRootLogin: 'yes',
    };
    const server = start(sshd, ['-D', '-e', '-f', '/dev/null', ...options(settings)]);
    await reached(serverPort, server);
    const mine = {
      IdentityFile: userKey,
      Port: serverPort,
      StrictHostKeyChecking: 'no',
      UserKnownHostsFile: path.join(folder, 'known'),
      BatchMode: 'yes',
      ExitOnForwardFailure: 'yes',
      LogLevel: 'ERROR',
    };
    const back = `127.0.0.1:${port}:127.0.0.1:${to}`;
    const client = start(ssh, [
      '-F',
      '/dev/null',
      ...options(mine),
      '-N',
      '-R',
      back,
      `${userInfo().username}@127.0.0.1`,
    ]);
    await reached(port, client);
    return { port, close };
  } catch (cause) {
    close();
    return `OpenSSH did not start (${cause instanceof Error ? cause.message : String(cause)})`;
  }
}

const options = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

/** Waits until somebody listens on the port. */
const reached = (port: number, program: TestProcess): Promise<true> =>
  until(`a listener on port ${port}`, async () => {
    if (program.hasEnded) throw new Error(program.printed.trim().slice(-300) || 'it ended at once');
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isThere;
  });
