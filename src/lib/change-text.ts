/** "up 3 since yesterday", "same as yesterday" */
export function changeText(now: number, before: number, format: (value: number) => string): string {
  if (now === before) return 'same as yesterday';
  return `${now > before ? 'up' : 'down'} ${format(Math.abs(now - before))} since yesterday`;
}
