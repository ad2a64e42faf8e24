// Builds from Debian's sources, linked with musl: BusyBox with its own defaults, BusyBox with those of OpenWrt, and a
// curl without TLS. They are kept in a folder for the next time.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OPENWRT_SYMBOLS } from './openwrt.ts';

/** A cell cannot be tried on this machine; the message says what is missing. */
export class NotTried extends Error {}

export class Builds {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  busybox(): string {
    return this.#once('busybox-musl', () => this.#busybox('defconfig', ['STATIC']));
  }

  openwrt(): string {
    // The musl of Debian has no crypt.h, so BusyBox brings its own.
    return this.#once('busybox-openwrt', () =>
      this.#busybox('allnoconfig', ['STATIC', 'USE_BB_CRYPT', ...OPENWRT_SYMBOLS]),
    );
  }

  curl(): string {
    return this.#once('curl-musl', () => {
      const source = this.#source('curl');
      this.#run(source, './configure', [
        'CC=musl-gcc',
        'LDFLAGS=-static',
        '--host=x86_64-linux-musl',
        '--disable-shared',
        '--disable-manual',
        '--disable-threaded-resolver',
        '--disable-ldap',
        '--without-ssl',
        '--without-zlib',
        '--without-libpsl',
        '--without-libidn2',
        '--without-brotli',
        '--without-zstd',
        '--without-nghttp2',
        '--without-librtmp',
        '--without-libssh2',
      ]);
      this.#run(source, 'make', ['-j2', 'LDFLAGS=-all-static']);
      return path.join(source, 'src/curl');
    });
  }

  #busybox(base: string, symbols: readonly string[]): string {
    const source = this.#source('busybox');
    this.#run(source, 'make', [base]);
    const file = path.join(source, '.config');
    let config = readFileSync(file, 'utf8');
    for (const symbol of symbols) config = config.replace(`# CONFIG_${symbol} is not set`, `CONFIG_${symbol}=y`);
    config = config
      .replace('CONFIG_TC=y', '# CONFIG_TC is not set') // newer kernels have no headers for it
      .replace(/^CONFIG_EXTRA_CFLAGS=.*$/m, `CONFIG_EXTRA_CFLAGS="-I${this.#kernelHeaders()}"`)
      .replace(/^CONFIG_FEATURE_CROND_DIR=.*$/m, 'CONFIG_FEATURE_CROND_DIR="/etc"');
    writeFileSync(file, config);
    // An empty answer takes what is set, or else the default.
    this.#run(source, 'sh', ['-c', "yes '' | make oldconfig"]);
    this.#run(source, 'make', ['-j2', 'CC=musl-gcc', 'HOSTCC=gcc', 'SKIP_STRIP=y']);
    return path.join(source, 'busybox');
  }

  /** Those of the kernel alone: musl has its own for the rest. */
  #kernelHeaders(): string {
    const folder = path.join(this.#folder, 'kernel-headers');
    const from = {
      linux: 'linux',
      'asm-generic': 'asm-generic',
      mtd: 'mtd',
      scsi: 'scsi',
      asm: 'x86_64-linux-gnu/asm',
    };
    if (!existsSync(folder)) {
      mkdirSync(folder);
      for (const [name, at] of Object.entries(from))
        symlinkSync(path.join('/usr/include', at), path.join(folder, name));
    }
    return folder;
  }

  /** Unpacked anew, for one build. */
  #source(name: string): string {
    const folder = path.join(this.#folder, 'sources');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    this.#run(folder, 'apt-get', ['-qq', 'source', '--only-source', name]);
    const unpacked = readdirSync(folder, { withFileTypes: true }).find((each) => each.isDirectory());
    return path.join(folder, unpacked?.name ?? '');
  }

  #once(name: string, build: () => string): string {
    const kept = path.join(this.#folder, name);
    if (!existsSync(kept)) {
      console.log(`Building ${name} …`);
      this.#run(this.#folder, 'cp', [build(), kept]);
    }
    return kept;
  }

  #run(cwd: string, program: string, args: string[]): void {
    try {
      execFileSync(program, args, { cwd, stdio: 'pipe', maxBuffer: 1 << 28, env: { ...process.env, LC_ALL: 'C' } });
    } catch (cause) {
      const said = (cause as { stderr?: Buffer }).stderr?.toString().trim().split('\n').at(-1) ?? '';
      throw new NotTried(`"${program} ${args[0]}" failed in ${cwd}: ${said || (cause as Error).message}`, { cause });
    }
  }
}
