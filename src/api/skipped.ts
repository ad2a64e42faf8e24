// What a write answers that looked once more, found nothing to do any more, and says why.
export class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
