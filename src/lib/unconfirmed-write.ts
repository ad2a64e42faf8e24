/** Raised for a write that may have been carried out although no answer came, and that must not be sent a second time. */
export class UnconfirmedWrite extends Error {
  override readonly name = 'UnconfirmedWrite';
  readonly detail: string;
  /** Where its result would be listed; undefined where that list is on the screen. */
  readonly list: { label: string; to: string } | undefined;

  constructor(message: string, detail: string, list?: UnconfirmedWrite['list']) {
    super(message);
    this.detail = detail;
    this.list = list;
  }
}
