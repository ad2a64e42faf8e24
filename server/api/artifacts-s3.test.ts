// The tests of artifacts once more, with an S3 store instead of the folder.
import { TEST_STORE } from '../test-service.ts';

process.env[TEST_STORE] = 's3';
await import('./artifacts.test.ts');
await import('./sent-twice.test.ts');
