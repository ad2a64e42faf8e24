// `npm run runtimes`: gets Node.js for devices of all platforms that this service can give it to; see
// scripts/runtime-files.ts. What is there already is left as it is.
import { fetchRuntime, isPacked, packInstalled, PLATFORMS, runtimeVersion } from './runtime-files.ts';

try {
  await packInstalled();
  for (const platform of PLATFORMS) {
    if (!isPacked(platform)) {
      process.stdout.write(`Getting Node.js ${runtimeVersion()} for ${platform} …\n`);
      await fetchRuntime(platform);
    }
    process.stdout.write(`Node.js ${runtimeVersion()} for ${platform} is in runtimes/.\n`);
  }
} catch (error) {
  process.stderr.write(
    `${(error as Error).message}\nWithout a registry in reach, run this in a clone on a machine that has one, and copy its runtimes/ here.\n`,
  );
  process.exitCode = 1;
}
