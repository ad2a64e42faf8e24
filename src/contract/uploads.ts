// Addition: uploads of artifacts that can be resumed, by the tus protocol (https://tus.io/protocols/resumable-upload).
import { resource } from '#/contract/resource.ts';

export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = ['creation', 'checksum', 'termination'] as const;

/** `Upload-Metadata` holds the fields of the form, of which `size` may be left out, and `filename`. */
export const uploadEndpoints = resource('uploads', {}).operations({
  tus: {
    method: 'POST',
    path: '/v1/uploads',
    tus: true,
    permission: 'connect',
    addition: true,
    changes: ['artifacts', 'account'],
    summary: 'Upload an artifact so that it can be resumed, by tus 1.0',
    once: true,
  },
});
