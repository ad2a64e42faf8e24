// Describes what an S3 store refused or failed to do, in a sentence that names the setting to check. It never quotes
// the store's response apart from the error code: that text can contain the access key and the signed request.
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
import { certificateFault } from './certificate-fault.ts';
import { Unavailable } from './errors.ts';
import { systemCode } from './system-fault.ts';

/**
 * A `configuration` fault persists until an operator changes a setting; after a `passing` one the same request may
 * succeed later.
 */
type Kind = 'configuration' | 'passing';

export class S3Fault extends Unavailable {
  /** The fault as a sentence whose subject is the store. */
  readonly reason: string;
  readonly isConfiguration: boolean;
  /** Whether the same request may succeed in a moment. */
  readonly isPassing: boolean;

  constructor(kind: Kind, reason: string, { cause, isPassing = kind === 'passing' }: FaultOptions = {}) {
    super('The artifact store cannot be used at the moment', `The store ${reason}.`, {
      retryAfterSeconds: kind === 'passing' ? 5 : 60,
      // The log prints its message as the reason.
      cause: cause ?? new Error(reason),
    });
    this.reason = reason;
    this.isConfiguration = kind === 'configuration';
    this.isPassing = isPassing;
  }
}

interface FaultOptions {
  cause?: unknown;
  isPassing?: boolean;
}

const PERMISSIONS =
  'the access key needs s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix of ARTIFACT_STORE_URL';
const OTHER_REGION = 'keeps this bucket in another region';

const BY_CODE = new Map(
  Object.entries<readonly [Kind, string]>({
    InvalidAccessKeyId: ['configuration', 'does not know the access key: check AWS_ACCESS_KEY_ID and AWS_ENDPOINT_URL'],
    SignatureDoesNotMatch: ['configuration', 'refuses the signature: check AWS_SECRET_ACCESS_KEY and AWS_REGION'],
    ExpiredToken: [
      'configuration',
      'says that the session token expired: renew AWS_SESSION_TOKEN, or use lasting keys',
    ],
    InvalidToken: ['configuration', 'refuses the session token: check AWS_SESSION_TOKEN'],
    AccessDenied: ['configuration', `denies access: ${PERMISSIONS}`],
    AllAccessDisabled: ['configuration', 'has disabled this bucket: check ARTIFACT_STORE_URL'],
    NoSuchBucket: ['configuration', 'has no such bucket: check ARTIFACT_STORE_URL and AWS_ENDPOINT_URL'],
    InvalidBucketName: ['configuration', 'has no such bucket: check ARTIFACT_STORE_URL and AWS_ENDPOINT_URL'],
    // Either clock may be wrong, and a machine's clock is often corrected shortly after it boots.
    RequestTimeTooSkewed: ['passing', "says that the clock of this machine is wrong: set the machine's time"],
    RequestExpired: ['passing', "says that the clock of this machine is wrong: set the machine's time"],
  }),
);

const REGION_CODES =
  /^(PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint\w*)$/;

/** Describes an error response. `code` is the store's error code, `region` the region that it names for the bucket. */
export function faultOfAnswer(status: number, code: string | undefined, region: string | undefined): S3Fault {
  const named = code === undefined ? `${status}` : `${status} ${code}`;
  const [kind, reason] = BY_CODE.get(code ?? '') ?? [];
  if (kind && reason) return new S3Fault(kind, `${reason} (${named})`, { isPassing: false });
  if ((status >= 300 && status < 400) || REGION_CODES.test(code ?? ''))
    return new S3Fault(
      'configuration',
      `${OTHER_REGION}${region === undefined ? '' : `, ${region}`}: check AWS_REGION and AWS_ENDPOINT_URL (${named})`,
    );
  if (status >= 500 || status === 429 || status === 408)
    return new S3Fault('passing', `is overloaded or failing (${named}): look at the store, then try again`);
  if (status === 401 || status === 403) return new S3Fault('configuration', `denies access (${named}): ${PERMISSIONS}`);
  if (status === 404)
    return new S3Fault('configuration', `has no such bucket (${named}): check ARTIFACT_STORE_URL and AWS_ENDPOINT_URL`);
  return new S3Fault('passing', `refused a request (${named}): check AWS_ENDPOINT_URL and ARTIFACT_STORE_URL`, {
    isPassing: false,
  });
}

/** Describes why there was no response, or an incomplete one. */
export function faultOfConnection(cause: unknown, isLate: boolean): S3Fault {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const certificate = certificateFault(inner);
  if (certificate !== undefined)
    return new S3Fault('configuration', `cannot be trusted, because its certificate ${certificate}`, { cause: inner });
  const why = isLate ? 'in time' : `(${systemCode(inner) ?? 'connection lost'})`;
  return new S3Fault('passing', `does not answer ${why}: check AWS_ENDPOINT_URL, AWS_REGION and the network`, {
    cause: inner,
  });
}
