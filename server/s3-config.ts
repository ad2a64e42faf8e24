// Where artifacts are stored if not in DATA_DIR: ARTIFACT_STORE_URL and the settings that S3 tools share.
// https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
import { ConfigError } from './config-error.ts';

export interface StoreAddress {
  /** s3://bucket/prefix, for the operator. */
  address: string;
  bucket: string;
  /** Begins the name of each object; ends with a slash unless it is empty. */
  prefix: string;
}

export interface S3Config extends StoreAddress {
  /** Of another store than AWS. */
  endpoint: URL | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

/** Characters of a prefix that no part of a request spells in two ways. */
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/;
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export function readStoreAddress(text: string | undefined): StoreAddress | undefined {
  const url = text?.trim() ?? '';
  if (url === '') return undefined;
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  const prefix = rest.replace(/\/$/, '');
  const hasDots = prefix.split('/').some((part) => part === '.' || part === '..');
  if (!BUCKET.test(bucket) || bucket.includes('..') || (prefix !== '' && (!PREFIX.test(prefix) || hasDots)))
    throw new ConfigError(
      `ARTIFACT_STORE_URL is "${url}", but it must be a bucket and a prefix of letters, digits and . _ - /, like s3://my-bucket/muster.`,
    );
  return { address: `s3://${bucket}${prefix && `/${prefix}`}`, bucket, prefix: prefix && `${prefix}/` };
}

export function readS3Config(value: (name: string) => string | undefined): S3Config | undefined {
  const store = readStoreAddress(value('ARTIFACT_STORE_URL'));
  if (!store) return undefined;
  const required = (name: string) => {
    const text = value(name);
    if (text === undefined) throw new ConfigError(`ARTIFACT_STORE_URL is set, but ${name} is not.`);
    return printable(name, text);
  };
  const region = value('AWS_REGION') ?? 'us-east-1';
  if (!/^[a-z0-9-]{1,32}$/.test(region))
    throw new ConfigError(`AWS_REGION is "${region}", but it must be a region like eu-central-1.`);
  const sessionToken = value('AWS_SESSION_TOKEN');
  return {
    ...store,
    endpoint: readEndpoint(value('AWS_ENDPOINT_URL')),
    region,
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: sessionToken === undefined ? undefined : printable('AWS_SESSION_TOKEN', sessionToken),
  };
}

/** The error does not repeat the value, which is secret. */
function printable(name: string, text: string): string {
  if (!/^[\u0021-\u007e]+$/.test(text)) throw new ConfigError(`${name} holds characters that no key has.`);
  return text;
}

function readEndpoint(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigError(
      `AWS_ENDPOINT_URL is "${url ? `${url.protocol}//${url.host}` : text}", but it must be the http or https address of an S3 store, like https://s3.example.com.`,
    );
  return url;
}
