// Runs the component tests of the named files in this one process: importing the dashboard and the service takes longer than
// most of them. Started by scripts/steps.ts.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import './modules.ts';
import { setAddress } from './dom.ts';
import { host } from './host.ts';
import { startTestService } from '../../server/test-service.ts';

host.startService = (env) => startTestService(env);
host.setAddress = setAddress;

for (const file of process.argv.slice(2)) await import(pathToFileURL(path.resolve(file)).href);
