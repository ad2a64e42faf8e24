// What happened to a device, newest first: states, jobs, edits, tunnels, keys and notes.
import { useEffect, useRef, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button, Textarea } from '@mantine/core';
import { IconKey, IconMessage2, IconPencil, IconPlayerPlay, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { timelineMutations, timelineQueries } from '#/api/timeline.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import {
  LONGEST_NOTE,
  TIMELINE_KINDS,
  timelineEndpoints,
  type TimelineItem,
  type TimelineKind,
} from '#/contract/timeline.ts';
import type { Device } from '#/contract/devices.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Section } from '#/ui/page/page.tsx';
import { FormError, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-timeline.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const KINDS: Record<TimelineKind, string> = {
  state: 'States',
  job: 'Jobs',
  edit: 'Edits',
  tunnel: 'Tunnels',
  key: 'Keys',
  note: 'Notes',
};
const ICONS = {
  job: IconPlayerPlay,
  edit: IconPencil,
  tunnel: IconPlugConnected,
  key: IconKey,
  note: IconMessage2,
} as const;
const hasIcon = (kind: string): kind is keyof typeof ICONS => Object.hasOwn(ICONS, kind);

export function DeviceTimeline({ device }: { device: Device }) {
  return useOffered('timeline') === true && <Timeline device={device} />;
}

function Timeline({ device: { DeviceId: id, DeviceStatus } }: { device: Device }) {
  const [kinds, setKinds] = useState<readonly TimelineKind[]>([]);
  const query = useInfiniteQuery(timelineQueries.list(id, kinds, DeviceStatus));
  const toggle = (kind: TimelineKind) =>
    setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]);
  return (
    <Section title="Timeline">
      {useOffered('notes') === true && <AddNote id={id} />}
      <div role="group" aria-label="Show" className={classes.kinds}>
        {TIMELINE_KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            className={classes.kind}
            aria-pressed={kinds.includes(kind)}
            onClick={() => toggle(kind)}
          >
            {KINDS[kind]}
          </button>
        ))}
      </div>
      <View
        query={query}
        name="the timeline"
        rows={4}
        isEmpty={({ length }) => length === 0}
        empty={<p className="small dim">{kinds.length > 0 ? 'Nothing of this kind yet.' : 'Nothing yet.'}</p>}
      >
        {(items) => (
          <>
            <ol className={classes.list} aria-label="Timeline">
              {items.map((item) => (
                <Item key={item.Id} id={id} item={item} />
              ))}
            </ol>
            {query.hasNextPage && (
              <Older busy={query.isFetchingNextPage} onMore={() => void query.fetchNextPage()} count={items.length} />
            )}
          </>
        )}
      </View>
    </Section>
  );
}

/** Loads more when it scrolls into view; the button is for people who do not scroll. */
function Older({ busy, count, onMore }: { busy: boolean; count: number; onMore: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = busy ? () => {} : onMore;
  });
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) more.current();
    });
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
    // Observed again after each page: one that does not fill the view is followed by the next.
  }, [count]);
  return (
    <div ref={ref}>
      <Button size="xs" variant="default" loading={busy} onClick={onMore}>
        Show older
      </Button>
    </div>
  );
}

function Item({ id, item }: { id: string; item: TimelineItem }) {
  const { Kind, Text, Time: time, Actor, ActorName, State, JobId, ParentId, NoteId } = item;
  const Mark = hasIcon(Kind) ? ICONS[Kind] : undefined;
  const text = <bdi>{Text}</bdi>;
  return (
    <li className={classes.item} data-kind={Kind}>
      <span className={classes.mark}>
        {Kind === 'state' || Mark === undefined ? (
          <StateMark state={State ?? ''} label="" />
        ) : (
          <Mark size={16} stroke={1.6} aria-hidden />
        )}
      </span>
      <span className={classes.text}>
        {JobId === undefined ? (
          text
        ) : (
          <Link to={ParentId ? paths.childJob(ParentId, JobId) : paths.job(JobId)}>{text}</Link>
        )}
        {Actor && <span className={classes.actor}>{actorText({ Actor, ActorName })}</span>}
      </span>
      {NoteId !== undefined && <RemoveNote id={id} note={NoteId} text={Text} />}
      <span className={classes.at}>
        <Time at={parseTimestamp(time)} raw={time} />
      </span>
    </li>
  );
}

function RemoveNote({ id, note, text }: { id: string; note: string; text: string }) {
  const noNotes = useMay(timelineEndpoints.removeNote, 'Deleting notes');
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Gate why={noNotes}>
        <IconButton icon={IconTrash} iconSize={14} size={24} label="Delete note" onClick={() => setConfirming(true)} />
      </Gate>
      {isConfirming && (
        <ConfirmDialog
          onClose={() => setConfirming(false)}
          title="Delete note"
          confirmLabel="Delete note"
          write={timelineMutations.removeNote(id, note)}
        >
          <bdi>“{text.length > 200 ? `${text.slice(0, 200)}…` : text}”</bdi> is deleted for everyone.
        </ConfirmDialog>
      )}
    </>
  );
}

/** The form, or why there is none. */
function AddNote({ id }: { id: string }) {
  const noNotes = useMay(timelineEndpoints.addNote, 'Writing notes');
  return noNotes === undefined ? <NoteForm id={id} /> : <p className="small dim">{noNotes}</p>;
}

function NoteForm({ id }: { id: string }) {
  const [text, setText] = useState('');
  const add = useWrite(timelineMutations.addNote(id));
  const left = LONGEST_NOTE - text.length;
  const isEmpty = text.trim() === '';
  return (
    <form
      className={classes.note}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty && left >= 0) add.mutate(text, { onSuccess: () => setText('') });
      }}
    >
      <Textarea
        aria-label="Note"
        placeholder="Write a note about this device"
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={
          left < 0 ? `A note has at most ${formatCount(LONGEST_NOTE)} characters: ${formatCount(-left)} too many` : null
        }
        className={classes.field}
      />
      <Button type="submit" variant="default" loading={add.isPending} disabled={isEmpty || left < 0}>
        Add note
      </Button>
      <FormError error={add.error} />
    </form>
  );
}
