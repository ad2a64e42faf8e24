// The tests of resumable uploads once more, with an S3 store instead of the folder.
import { TEST_STORE } from '../test-service.ts';

process.env[TEST_STORE] = 's3';
await import('./uploads.test.ts');
