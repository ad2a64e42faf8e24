// Parses a page of a bucket listing (ListObjectsV2).
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
import { faultOfAnswer } from './s3-fault.ts';

export interface ListedObject {
  /** The key without the prefix. */
  name: string;
  sizeBytes: number;
  /** Time since it was written, by the store's clock; NaN if unknown. */
  ageMs: number;
}

interface Listing {
  objects: ListedObject[];
  /** The token that continues the listing. */
  next: string | undefined;
}

const ENTITIES = new Map(Object.entries<string>({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

/** Decodes the entities in the text of an element (XML 1.0, section 4.6), including numeric ones. */
const unescaped = (text: string) =>
  text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,8}));/gi,
    (all, hex?: string, decimal?: string, name?: string) =>
      name === undefined
        ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
        : (ENTITIES.get(name) ?? all),
  );

/** The text of the first element of this name. */
export function elementIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

/** `now` is the time of the response, by the store's clock. */
export function readListing(xml: string, prefix: string, now: number): Listing {
  // A server that answers 200 to everything is not an S3 store.
  if (!/<ListBucketResult[\s>]/.test(xml)) throw faultOfAnswer(404, 'NotS3', undefined);
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, each = '']) => {
    const key = elementIn(each, 'Key') ?? '';
    if (!key.startsWith(prefix)) return [];
    return [
      {
        name: key.slice(prefix.length),
        sizeBytes: Number(elementIn(each, 'Size') ?? -1),
        ageMs: now - Date.parse(elementIn(each, 'LastModified') ?? ''),
      },
    ];
  });
  const isCut = elementIn(xml, 'IsTruncated') === 'true';
  return { objects, next: isCut ? elementIn(xml, 'NextContinuationToken') : undefined };
}
