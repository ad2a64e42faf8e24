// The ids of tags by name. The list is read once, and a missing tag is created once, however many callers ask for it.
import { tagEndpoints, type Tag } from '#/contract/tags.ts';
import { hasStatus, isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { meaningOf } from '#/lib/retry.ts';

export interface TagApi {
  tags: () => Promise<Tag[]>;
  createTag: (name: string) => Promise<void>;
}

export class TagIds {
  private readonly api: TagApi;
  private listed: Promise<Map<string, string>> | undefined;
  private readonly asked = new Map<string, Promise<string>>();

  constructor(api: TagApi) {
    this.api = api;
  }

  /** The id of a tag, which is created if it is missing. After a failure the next call tries again. */
  idOf(name: string): Promise<string> {
    const before = this.asked.get(name);
    if (before) return before;
    const found = this.find(name);
    this.asked.set(name, found);
    found.catch(() => this.asked.delete(name));
    return found;
  }

  private list(): Promise<Map<string, string>> {
    if (this.listed) return this.listed;
    const listed = this.api.tags().then(
      (tags) => new Map(tags.map(({ TagName, TagId }) => [TagName, TagId])),
      (error: unknown) => {
        throw isMissing(error) ? new Error('This service has no tags.') : error;
      },
    );
    this.listed = listed;
    listed.catch(() => {
      if (this.listed === listed) this.listed = undefined;
    });
    return listed;
  }

  private async find(name: string): Promise<string> {
    const known = (await this.list()).get(name);
    if (known !== undefined) return known;
    let trouble: Error | undefined;
    try {
      await this.api.createTag(name);
    } catch (error) {
      // Somebody else may have created it, or the answer was lost: the list shows whether it exists.
      if (!(error instanceof Error) || (meaningOf(error) !== 'unknown' && !hasStatus(error, 409))) throw error;
      trouble = error;
    }
    // The create response has no body, so the list has to be read again.
    this.listed = undefined;
    const made = (await this.list()).get(name);
    if (made !== undefined) return made;
    throw trouble ?? new Error(`The tag "${name}" was created but is not in the list of tags`);
  }
}

/** The current id of the tag with this name, which is created if it is missing. */
export const tagNamed = (name: string): Promise<string> =>
  new TagIds({
    tags: () => call(tagEndpoints.list, {}),
    createTag: async (tag_name) => {
      await call(tagEndpoints.create, { params: { tag_name } });
    },
  }).idOf(name);
