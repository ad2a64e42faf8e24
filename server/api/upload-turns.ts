// Requests to one upload take turns on a node: a new one interrupts the one before, whose connection its client has given
// up, and waits until what had arrived is stored.

interface Turn {
  readonly interrupted: AbortSignal;
  end(): void;
}

export function openTurns(): { take(id: string): Promise<Turn> } {
  const running = new Map<string, { interrupt: () => void; ended: Promise<void> }>();
  return {
    take: async (id) => {
      for (let before = running.get(id); before; before = running.get(id)) {
        before.interrupt();
        await before.ended;
      }
      const interruption = new AbortController();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      running.set(id, { interrupt: () => interruption.abort(), ended });
      return {
        interrupted: interruption.signal,
        end: () => {
          running.delete(id);
          resolve();
        },
      };
    },
  };
}
