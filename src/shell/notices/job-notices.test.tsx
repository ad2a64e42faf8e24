import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReactElement } from 'react';
import { notifications, notificationsStore } from '@mantine/notifications';
import { showNews } from './job-notices.tsx';

test('news of a job take the place of earlier ones, and no notice stays for good', (t) => {
  t.after(() => notifications.clean());
  showNews({ id: 'j', title: 'Roll out: 1 failed', text: 'So far: 1 failed', isBad: true });
  showNews({ id: 'j', title: 'Roll out has ended', text: 'Result: 2 failed', isBad: true });
  showNews({ id: 'k', title: 'Clean up has ended', text: 'Result: succeeded', isBad: false });
  const shown = notificationsStore.getState().notifications;
  const titleOf = ({ title }: (typeof shown)[number]) => (title as ReactElement<{ children: string }>).props.children;
  assert.deepEqual(shown.map(titleOf), ['Roll out has ended', 'Clean up has ended']);
  for (const { autoClose } of shown) assert.equal(typeof autoClose, 'number');
});
