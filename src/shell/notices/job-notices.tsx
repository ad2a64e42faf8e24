// Reports jobs that ended or failed while the page was hidden: in the tab's title, as a system notification if that is
// switched on, and in the corner of the page once it is visible again. A hidden page polls only while a job is running.
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { isMoving } from '#/contract/job-state.ts';
import { isLive } from '#/api/live.ts';
import { readUnfinished } from '#/api/job-pages.ts';
import { jobQueries, readJobs } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { paths } from '#/paths.ts';
import { showNotice } from '#/ui/controls/system-notices.ts';
import { setUnseen } from '#/ui/page/title.ts';
import { Link } from '#/ui/url/link.tsx';
import { newsBetween, type JobNews } from './job-news.ts';

/** Milliseconds until the first reading, and between two; browsers stretch it to a minute in a long hidden tab. */
const FIRST_POLL = 10_000;
const POLL = 35_000;
/** The service's clock may be this far behind, in milliseconds. */
const CLOCK_SKEW = 600_000;
/** A list that was read less than this many milliseconds ago is current. */
const FRESH = 5_000;

/** Milliseconds. A notice ends by itself; a bad one stays long enough for who has just come back. */
const SHOWN = { bad: 60_000, good: 15_000 };

export const showNews = ({ id, title, text, isBad }: JobNews) => {
  // Shown with the id of an earlier one, it would be ignored.
  notifications.hide(`job-${id}`);
  notifications.show({
    id: `job-${id}`,
    title: <bdi>{title}</bdi>,
    message: (
      <span className="dim">
        {text}.{' '}
        <Link to={paths.job(id)} style={{ textDecoration: 'underline' }}>
          See the job
        </Link>
      </span>
    ),
    color: isBad ? 'red' : 'indigo',
    autoClose: isBad ? SHOWN.bad : SHOWN.good,
  });
};

export function JobNotices() {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    const unseen = new Map<string, JobNews>();
    let stop: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout>;
    let left = new Date();

    const poll = async (before: readonly Job[] | undefined, signal: AbortSignal) => {
      let seen = before;
      try {
        const now = (await readUnfinished(client, seen && left, signal)) ?? (await readJobs(signal));
        if (signal.aborted) return;
        for (const news of newsBetween(seen ?? [], now)) {
          unseen.set(news.id, news);
          showNotice(news.title, news.text, news.id, () => void navigate(paths.job(news.id)));
        }
        setUnseen(unseen.size);
        seen = now;
      } catch {
        // Retried; once the page is visible, it shows the error itself.
      }
      if (!signal.aborted && (!seen || seen.some(isMoving))) timer = setTimeout(() => void poll(seen, signal), POLL);
    };
    const leave = () => {
      stop = new AbortController();
      left = new Date(Date.now() - CLOCK_SKEW);
      const { signal } = stop;
      const { data, dataUpdatedAt = 0 } = client.getQueryState(jobQueries.list().queryKey) ?? {};
      if (!data || (!isLive() && Date.now() - dataUpdatedAt > FRESH)) void poll(undefined, signal);
      else if (data.some(isMoving)) timer = setTimeout(() => void poll(data, signal), FIRST_POLL);
    };
    const comeBack = () => {
      stop?.abort();
      clearTimeout(timer);
      for (const news of unseen.values()) showNews(news);
      unseen.clear();
      setUnseen(0);
    };
    const onVisibility = () => (document.visibilityState === 'hidden' ? leave() : comeBack());
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop?.abort();
      clearTimeout(timer);
      setUnseen(0);
    };
  }, [client, navigate]);
  return null;
}
