// Loaded before the service (`node --import`): moves its wall clock when the parent process sends a number of
// milliseconds, as an administrator or NTP would. Timers and the monotonic clock do not change, as on a real machine.
const RealDate = Date;
let offset = 0;

globalThis.Date = class extends RealDate {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }
  static override now(): number {
    return RealDate.now() + offset;
  }
} as DateConstructor;

process.on('message', (message: { clockOffset: number }) => {
  offset = message.clockOffset;
});
// Listening must not keep the process alive.
process.channel?.unref();
