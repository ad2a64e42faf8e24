import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { ARTIFACT_BYTES_LIMIT } from '#/contract/limits.ts';

/** An artifact must be smaller than this many bytes. */
export const useArtifactLimit = (): number =>
  useQuery(accountQueries.get()).data?.ArtifactBytesMax ?? ARTIFACT_BYTES_LIMIT;
