// How high what one taps is, measured as a finger meets it: by what the page finds at each point.
import type { Page } from '@playwright/test';

/** A finger's, in CSS pixels. */
const LEAST = 40;

export interface SmallTarget {
  target: string;
  height: number;
}

/**
 * The elements whose hit area is lower than a finger. What an element draws around itself belongs to it, and a label; so
 * does the row of a list that its name opens. Links within a sentence are exempt, and the lines of a log, as in WCAG 2.5.8.
 */
export const smallTargets = (page: Page): Promise<SmallTarget[]> =>
  page.evaluate((least) => {
    const controls = 'a[href], button, input, select, textarea, summary, [role="slider"], [role="option"]';
    const sentences = 'p, dd, li, figcaption, h2, .leaflet-control-attribution';
    const isSentence = (element: Element) => {
      const text = element.closest(sentences)?.textContent.trim() ?? '';
      return (
        element.matches('a, button') &&
        getComputedStyle(element).display === 'inline' &&
        element.closest(sentences) !== null &&
        text.length > element.textContent.trim().length
      );
    };
    const isLine = (element: Element) => element.matches('[role="region"] [data-number]');
    const isShown = (element: HTMLElement) => {
      const { width, height } = element.getBoundingClientRect();
      // Hidden for the eyes: a control of which another element takes the tap, or a link that shows when it has the focus.
      const isClipped = element.closest('.visually-hidden') !== null || width <= 1 || height <= 1;
      return (
        !isClipped &&
        element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) &&
        element.closest('[inert], [aria-hidden="true"]') === null
      );
    };
    const nameOf = (element: HTMLElement) => {
      const name = element.getAttribute('aria-label') ?? element.textContent.trim().replace(/\s+/g, ' ').slice(0, 50);
      const around = element.parentElement?.className.slice(0, 40) ?? '';
      return `${element.localName}.${element.className.slice(0, 40)} "${name}" in .${around}`;
    };
    const dialogs = document.querySelectorAll('[role="dialog"]:not([aria-hidden="true"])');
    const root = [...dialogs].findLast((dialog) => dialog.checkVisibility()) ?? document.body;
    const found: SmallTarget[] = [];
    for (const element of root.querySelectorAll<HTMLElement>(controls)) {
      const field = element.matches('input, select, textarea') ? element : undefined;
      const labels = field instanceof HTMLInputElement ? [...(field.labels ?? [])] : [];
      const taker = [element, ...labels].find(isShown);
      if (!taker || element.matches('[type="hidden"], [type="file"]') || isSentence(element) || isLine(element))
        continue;
      taker.scrollIntoView({ block: 'center', inline: 'center' });
      const belongs = (x: number, y: number) => {
        const hit = document.elementFromPoint(x, y);
        return hit !== null && (element.contains(hit) || labels.some((label) => label.contains(hit)));
      };
      const heightAt = (x: number, middle: number) => {
        if (!belongs(x, middle)) return 0; // under another one, or cut off by what scrolls
        let top = middle;
        let bottom = middle;
        while (bottom - top < least && belongs(x, top - 0.5)) top -= 0.5;
        while (bottom - top < least && belongs(x, bottom + 0.5)) bottom += 0.5;
        return bottom - top + 0.5;
      };
      const row = element.closest('tr[data-row]');
      const heights = [element, ...labels, row].flatMap((part) => {
        if (!part) return [];
        const { x, y, width, height } = part.getBoundingClientRect();
        // Beside what is in a row.
        return [heightAt(part === row ? x + 4 : x + Math.min(width / 2, 60), y + height / 2)];
      });
      const height = Math.max(...heights);
      if (height === 0) continue;
      // As near as half-pixels tell.
      if (height < least - 0.5) found.push({ target: nameOf(element), height });
    }
    return found;
  }, LEAST);
