// Reports jobs that ended or failed while nobody looked: in the title of the tab, as a notice of the system where that
// is switched on, and in the corner of the page when somebody is back. A hidden page polls only while something moves.
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { notifications } from '@mantine/notifications';
import { isMoving } from '#/contract/job-state.ts';
import { isLive } from '#/api/live.ts';
import { readMoving } from '#/api/job-pages.ts';
import { jobQueries, readJobs } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { paths } from '#/paths.ts';
import { showNotice } from '#/ui/controls/system-notices.ts';
import { setUnseen } from '#/ui/page/title.ts';
import { Link } from '#/ui/url/link.tsx';
import { newsBetween, type JobNews } from './job-news.ts';

/** Milliseconds until the first look, and between two; browsers make it a minute for a tab that is long hidden. */
const FIRST_LOOK = 10_000;
const LOOK = 35_000;
/** By so much the clock of the service may be behind. */
const CLOCKS = 600_000;
/** A list that was read this short a time ago still holds. */
const FRESH = 5_000;

const showNews = ({ id, title, text, isBad }: JobNews) =>
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
    autoClose: isBad ? false : 15_000,
    closeButtonProps: { 'aria-label': 'Close' },
  });

export function JobNotices() {
  const client = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    const unseen = new Map<string, JobNews>();
    let stop: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout>;
    let left = new Date();

    const look = async (before: readonly Job[] | undefined, signal: AbortSignal) => {
      let seen = before;
      try {
        const now = (await readMoving(client, seen && left, signal)) ?? (await readJobs(signal));
        if (signal.aborted) return;
        for (const news of newsBetween(seen ?? [], now)) {
          unseen.set(news.id, news);
          showNotice(news.title, news.text, news.id, () => void navigate(paths.job(news.id)));
        }
        setUnseen(unseen.size);
        seen = now;
      } catch {
        // Checked again: the page itself informs a user who is back.
      }
      if (!signal.aborted && (!seen || seen.some(isMoving))) timer = setTimeout(() => void look(seen, signal), LOOK);
    };
    const leave = () => {
      stop = new AbortController();
      left = new Date(Date.now() - CLOCKS);
      const { signal } = stop;
      const { data, dataUpdatedAt = 0 } = client.getQueryState(jobQueries.list().queryKey) ?? {};
      if (!data || (!isLive() && Date.now() - dataUpdatedAt > FRESH)) void look(undefined, signal);
      else if (data.some(isMoving)) timer = setTimeout(() => void look(data, signal), FIRST_LOOK);
    };
    const comeBack = () => {
      stop?.abort();
      clearTimeout(timer);
      for (const news of unseen.values()) showNews(news);
      unseen.clear();
      setUnseen(0);
    };
    const attend = () => (document.visibilityState === 'hidden' ? leave() : comeBack());
    document.addEventListener('visibilitychange', attend);
    return () => {
      document.removeEventListener('visibilitychange', attend);
      stop?.abort();
      clearTimeout(timer);
      setUnseen(0);
    };
  }, [client, navigate]);
  return null;
}
