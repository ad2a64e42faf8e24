// The bar with the number of selected devices and their bulk actions, on every page that selects devices.
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, Menu } from '@mantine/core';
import {
  IconBuilding,
  IconChevronDown,
  IconFileExport,
  IconKey,
  IconMapPin,
  IconRefresh,
  IconRocket,
  IconTagMinus,
  IconTagPlus,
  IconTrash,
  IconUsersGroup,
} from '@tabler/icons-react';
import type { Capability } from '#/contract/account.ts';
import { useCapabilities, useOffered } from '#/api/capabilities.ts';
import { BULK_ACTIONS, type BulkActionName } from './bulk-actions.ts';
import { NO_SELECTION, deployStartOf } from './device-transfer.ts';
import { selection, useSelection } from './selection.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import classes from './bulk-bar.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';
import { useMayBulk } from './use-may-bulk.ts';

const BulkDialog = lazyDialog(() => import('./bulk-dialog.tsx'), 'BulkDialog');

const ICONS: Record<BulkActionName, typeof IconTrash> = {
  group: IconUsersGroup,
  customer: IconBuilding,
  site: IconBuilding,
  location: IconMapPin,
  'add-tag': IconTagPlus,
  'remove-tag': IconTagMinus,
  'update-agent': IconRefresh,
  'rotate-key': IconKey,
  export: IconFileExport,
  delete: IconTrash,
};
/** The capability that an action requires. */
const NEEDS: Partial<Record<BulkActionName, Capability>> = {
  'add-tag': 'tags',
  'remove-tag': 'tags',
  'update-agent': 'agent-update',
  'rotate-key': 'key-rotation',
};
/** Buttons of their own, with a short word. */
const BUTTONS = { 'add-tag': 'Tag', export: 'Export' } as const;
const SECTIONS: BulkActionName[][] = [
  ['group', 'customer', 'site', 'location'],
  ['remove-tag'],
  ['update-agent', 'rotate-key'],
  ['delete'],
];

interface BulkBarProps {
  /** The devices on the screen: the bar counts selected devices that are not among them. */
  shown?: readonly string[] | undefined;
  /** How to refer to the screen: "this page". */
  where?: string;
  /** All devices that match the filters, if known. */
  matching?: readonly string[] | undefined;
}

export function BulkBar({ shown, where = 'this page', matching }: BulkBarProps) {
  const navigate = useNavigate();
  const takesSelection = useOffered('jobs') === true;
  const { ids, add, clear } = useSelection();
  const offers = useCapabilities();
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const whyNo = useMayBulk();
  const isOffered = (action: BulkActionName) => {
    const needed = NEEDS[action];
    return needed === undefined || offers.includes(needed);
  };
  const sections = SECTIONS.map((actions) => actions.filter(isOffered)).filter((actions) => actions.length > 0);
  const [open, setOpen] = useState<{ action: BulkActionName; ids: string[] }>();
  const close = () => {
    setOpen(undefined);
    // The whole selection was deleted, so the bar disappears with the dialog and cannot take the focus back.
    if (selection.get().size === 0) focusPage();
  };
  if (ids.size === 0 && !open) return null;
  const here = shown?.filter((id) => ids.has(id)).length ?? 0;
  const isPart = matching !== undefined && matching.length !== shown?.length && matching.some((id) => !ids.has(id));
  const elsewhere = shown ? ids.size - here : 0;
  return (
    <SelectionBar
      edge
      name="devices"
      count={ids.size}
      note={elsewhere > 0 && ` · ${formatCount(elsewhere)} not on ${where}`}
      onClear={clear}
      end={<BulkDialog open={open && { ...open, onClose: close }} />}
    >
      <Gate why={noDeploy ?? (!takesSelection && ids.size > 1 ? NO_SELECTION : undefined)}>
        <Button
          size="xs"
          variant="filled"
          leftSection={<IconRocket size={16} stroke={1.6} aria-hidden />}
          onClick={() => void navigate(paths.deploy(deployStartOf([...ids], takesSelection)))}
        >
          Deploy
        </Button>
      </Gate>
      {(['add-tag', 'export'] as const).filter(isOffered).map((action) => {
        const Icon = ICONS[action];
        return (
          <Gate key={action} why={whyNo(action)}>
            <Button
              size="xs"
              leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
              title={BULK_ACTIONS[action]}
              onClick={() => setOpen({ action, ids: [...ids] })}
            >
              {BUTTONS[action]}
            </Button>
          </Gate>
        );
      })}
      <Menu position="top-start" width={210} shadow="none" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button size="xs" rightSection={<IconChevronDown size={16} stroke={1.6} aria-hidden />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Actions for the selected devices">
          {sections.map((actions, at) => [
            at > 0 && <Menu.Divider key={`before-${actions[0]}`} />,
            ...actions.map((action) => {
              const Icon = ICONS[action];
              return (
                <Gate key={action} why={whyNo(action)}>
                  <Menu.Item
                    className={action === 'delete' ? 'danger' : ''}
                    leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
                    onClick={() => setOpen({ action, ids: [...ids] })}
                  >
                    {BULK_ACTIONS[action]}
                  </Menu.Item>
                </Gate>
              );
            }),
          ])}
        </Menu.Dropdown>
      </Menu>
      {shown && here < shown.length && (
        <Button size="xs" variant="subtle" className={classes.all} onClick={() => add(shown)}>
          Select all {formatCount(shown.length)}
        </Button>
      )}
      {isPart && (
        <Button size="xs" variant="subtle" onClick={() => add(matching)}>
          Select all {formatCount(matching.length)} matching
        </Button>
      )}
    </SelectionBar>
  );
}
