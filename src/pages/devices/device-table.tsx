// One page of devices. Rows are plain cells and drawn again only when their device changed: a page may hold 1,000.
import { memo, useCallback, useEffect, useRef } from 'react';
import type { ChangeEvent, MouseEvent } from 'react';
import { useNavigate } from 'react-router';
import { IconCopy } from '@tabler/icons-react';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { rangeBetween } from '#/fleet/selected-ids.ts';
import { selection, useSelection } from '#/fleet/selection.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import tableClasses from '#/ui/table.module.css';
import { Time } from '#/ui/time.tsx';
import { copyId } from './copy-id.ts';
import { DeviceMenu } from './device-menu.tsx';
import { addressOf } from './inventory.ts';
import classes from './device-table.module.css';

/** Columns that are only there when a service tells what they hold. */
interface Told {
  tags: boolean;
  site: boolean;
  seen: boolean;
}

const toldBy = (rows: Device[]): Told => ({
  tags: rows.some(({ Tags }) => Tags !== undefined),
  site: rows.some(({ CustomerName, CustomerSite }) => CustomerName || CustomerSite),
  seen: rows.some(({ LastSeenTime }) => LastSeenTime !== undefined),
});

export function DeviceTable({ rows, busy }: { rows: Device[]; busy: boolean }) {
  const { tags, site, seen } = toldBy(rows);
  const { ids } = useSelection();
  const select = useSelect(rows);
  const navigate = useNavigate();
  // Plain links: the router's own would each be drawn again at every change of the URL, a typed letter of a filter too.
  const follow = useCallback(
    (event: MouseEvent<HTMLAnchorElement>) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void navigate(event.currentTarget.pathname);
    },
    [navigate],
  );
  return (
    <table
      className={`${tableClasses['table']} ${classes['table']}`}
      aria-label="Devices"
      aria-busy={busy}
      data-told={Number(tags) + Number(site) + Number(seen)}
    >
      <colgroup>
        <col className={classes['check']} />
        <col />
        <col className={classes['status']} />
        <col className={classes['text']} />
        {tags && <col className={classes['text']} />}
        {site && <col className={classes['site']} />}
        <col className={classes['address']} />
        {seen && <col className={classes['seen']} />}
        <col className={classes['ident']} />
        <col className={classes['tools']} />
      </colgroup>
      <thead>
        <tr>
          <th scope="col" className={classes['check']}>
            <SelectPage rows={rows} ids={ids} />
          </th>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Group</th>
          {tags && <th scope="col">Tags</th>}
          {site && <th scope="col">Customer and site</th>}
          <th scope="col">Address</th>
          {seen && <th scope="col">Last seen</th>}
          <th scope="col">ID</th>
          <th scope="col" data-tools>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((device) => (
          <Row
            key={device.DeviceId}
            device={device}
            tags={tags}
            site={site}
            seen={seen}
            selected={ids.has(device.DeviceId)}
            select={select}
            follow={follow}
          />
        ))}
      </tbody>
    </table>
  );
}

/** A stable handler for the checkboxes: with Shift it does the same to every row since the last one. */
function useSelect(rows: Device[]): (event: ChangeEvent<HTMLInputElement>) => void {
  const shown = useRef(rows);
  const last = useRef<string>(undefined);
  useEffect(() => {
    shown.current = rows;
  });
  return useCallback(({ currentTarget: { value: id, checked }, nativeEvent }) => {
    const stretched = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const ids = shown.current.map(({ DeviceId }) => DeviceId);
    const range = stretched ? rangeBetween(ids, last.current, id) : [id];
    if (checked) selection.add(range);
    else selection.remove(range);
    last.current = id;
  }, []);
}

/** Selects the page; what is selected on other pages stays. */
function SelectPage({ rows, ids }: { rows: Device[]; ids: ReadonlySet<string> }) {
  const here = rows.map(({ DeviceId }) => DeviceId);
  const count = here.filter((id) => ids.has(id)).length;
  const all = count > 0 && count === here.length;
  return (
    <label className={classes['target']}>
      <input
        type="checkbox"
        aria-label="Select this page"
        checked={all}
        ref={(node) => {
          if (node) node.indeterminate = count > 0 && !all;
        }}
        onChange={() => (all ? selection.remove(here) : selection.add(here))}
      />
    </label>
  );
}

/** Keeps a click with Shift from marking the text in between. */
const keepText = (event: MouseEvent) => {
  if (event.shiftKey) event.preventDefault();
};

interface RowProps extends Told {
  device: Device;
  selected: boolean;
  select: (event: ChangeEvent<HTMLInputElement>) => void;
  follow: (event: MouseEvent<HTMLAnchorElement>) => void;
}

const Row = memo(function Row({ device, tags, site, seen, selected, select, follow }: RowProps) {
  const {
    DeviceId,
    DeviceName,
    DeviceGroup,
    DeviceStatus,
    CustomerName,
    CustomerSite,
    LastSeenTime,
    Tags = [],
  } = device;
  const tagNames = Tags.map(({ TagId, TagName }) => TagName || TagId).join(', ');
  const place = [CustomerName, CustomerSite].filter(Boolean).join(' · ');
  return (
    <tr data-selected={selected || undefined}>
      <td className={classes['check']}>
        <label className={classes['target']}>
          <input
            type="checkbox"
            aria-label={`Select ${DeviceName || DeviceId}`}
            value={DeviceId}
            checked={selected}
            onChange={select}
            onMouseDown={keepText}
          />
        </label>
      </td>
      <td className={classes['first']}>
        <a href={paths.device(DeviceId)} className={tableClasses['name']} title={DeviceName} onClick={follow}>
          {DeviceName || DeviceId}
        </a>
      </td>
      <td className={classes['status']}>
        <StateMark state={DeviceStatus} />
      </td>
      <td className={classes['second']} title={DeviceGroup}>
        {DeviceGroup || <span className="dim">No group</span>}
      </td>
      {tags && (
        <td data-phone="hide" title={tagNames}>
          {tagNames}
        </td>
      )}
      {site && (
        <td data-phone="hide" title={place}>
          {place}
        </td>
      )}
      <td data-phone="hide" className="mono dim">
        {addressOf(device)}
      </td>
      {seen && (
        <td className={classes['seen']}>
          {LastSeenTime ? (
            <Time at={parseTimestamp(LastSeenTime)} raw={LastSeenTime} />
          ) : (
            <span className="dim">Never</span>
          )}
        </td>
      )}
      <td data-phone="hide">
        <IdCell id={DeviceId} name={DeviceName} />
      </td>
      <td data-tools className={classes['tools']}>
        <DeviceMenu id={DeviceId} name={DeviceName || DeviceId} />
      </td>
    </tr>
  );
});

/** The id, shortened, and a button that copies the whole one. */
function IdCell({ id, name }: { id: string; name: string }) {
  return (
    <span className={classes['id']}>
      <span className="mono" title={id}>
        {id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-5)}` : id}
      </span>
      <button type="button" aria-label={`Copy id of ${name}`} title="Copy id" onClick={() => void copyId(id)}>
        <IconCopy size={14} stroke={1.6} aria-hidden />
      </button>
    </span>
  );
}
