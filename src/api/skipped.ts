// The result of a write that found nothing to do when it checked again, with the reason.
export class Skipped {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
