// The size limit of artifacts, without the schemas, for the worker that packs and checks files.

/** An artifact must be smaller than this many bytes (v1.md, "Limits": 10 MB, read as 10 × 1024 × 1024). */
export const ARTIFACT_BYTES_LIMIT = 10 * 1024 * 1024;
