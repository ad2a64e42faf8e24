// Filters by group, tag, customer, site, version and fact, with the number of devices for each value once the fleet is in
// memory. For the table and the map. Loaded after the table, since the lists are as large as all of the table's code.
import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Combobox, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { tagText } from '#/fleet/dictionary.ts';
import type { FacetValue, RowFilter } from '#/fleet/filter.ts';
import { fold } from '#/fleet/text.ts';
import { accountQueries } from '#/api/account.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { factQueries } from '#/api/facts.ts';
import { tagQueries } from '#/api/tags.ts';
import { useKnownValues } from '#/features/device-dialogs/use-known-values.ts';
import { wantedFact, withFact } from './fact-words.ts';
import { useTagNames } from './filter-chips.tsx';
import type { ValueName } from './filter-words.ts';
import type { Facets } from './use-facets.ts';
import { versionChoices, versionWords } from './version-words.ts';
import { formatCount } from '#/lib/format.ts';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import classes from './filter-parts.module.css';

/** Suggestions drawn at once: the rest is found by typing. */
const MOST = 200;

interface FacetPickersProps extends Facets {
  filter: RowFilter;
  /** Loads the whole fleet, which has all values; undefined if it is loaded or loads automatically. */
  onLoadFleet?: (() => void) | undefined;
  onChange: (change: RowFilter) => void;
}

export function FacetPickers({ filter, facets, onLoadFleet, onChange }: FacetPickersProps) {
  const [isRequested, setRequested] = useState(false);
  const hasTags = useOffered('tags') === true;
  const tags = useQuery({ ...tagQueries.list(), enabled: hasTags });
  const tagged = useTagNames(filter.tag);
  const groups = useKnownValues('DeviceGroup');
  const picker = (name: ValueName, label: string, known: readonly string[] = [], chosen = filter[name] ?? []) => (
    <FacetPicker
      key={name}
      name={name}
      label={label}
      chosen={chosen}
      facet={facets?.[name]}
      known={known}
      isReading={isRequested && !facets}
      onOpen={() => {
        if (!onLoadFleet) return;
        setRequested(true);
        onLoadFleet();
      }}
      onChange={(values) => onChange({ [name]: values })}
    />
  );
  // A field that no device has needs no filter; that is unknown until the whole fleet has been read.
  const has = (name: ValueName) =>
    isRequested || onLoadFleet || filter[name] !== undefined || facets?.[name]?.some(({ value }) => value !== '');
  const isNew = filter.status?.length === 1 && filter.status[0] === 'notconnected';
  const someNew = facets?.status.find(({ value }) => value === 'NotConnected')?.count;
  return (
    <>
      {picker('group', 'Group', groups)}
      {(hasTags || has('tag')) && picker('tag', 'Tag', [...new Set(tags.data?.map(tagText))], tagged)}
      <VersionPicker runs={filter.runs} onChange={(runs) => onChange({ runs })} />
      <FactPicker filter={filter} onChange={onChange} />
      {has('customer') && picker('customer', 'Customer')}
      {has('site') && picker('site', 'Site')}
      {(isNew || (someNew ?? 0) > 0) && (
        <Button
          size="sm"
          px={8}
          aria-pressed={isNew}
          className={classes.toggle}
          onClick={() => onChange({ status: isNew ? [] : ['notconnected'] })}
        >
          {stateLabel('NotConnected')}
          {someNew !== undefined && <span className={classes.count}>{formatCount(someNew)}</span>}
        </Button>
      )}
    </>
  );
}

/** A version of any artifact. Not shown if the service does not record versions, or nothing was deployed. */
function VersionPicker({ runs, onChange }: { runs: RowFilter['runs']; onChange: (runs: RowFilter['runs']) => void }) {
  const isKnown = useOffered('versions') === true;
  const { NumDevicesAdded = 0 } = useQuery(accountQueries.get()).data ?? {};
  const counts = useQuery({ ...deviceVersionQueries.counts(), enabled: isKnown });
  if (!isKnown || !counts.data?.length) return null;
  const choices = versionChoices(counts.data, NumDevicesAdded);
  const now = runs && versionWords(runs);
  return (
    <FacetPicker
      name="version"
      label="Version"
      chosen={now === undefined ? [] : [now]}
      facet={choices}
      known={[]}
      isReading={false}
      onOpen={() => {}}
      onChange={(values) => onChange(choices.find(({ value }) => value !== now && values.includes(value))?.runs)}
    />
  );
}

/** First the name of a fact, then one of its values. Not shown if no device reported any. */
function FactPicker({ filter, onChange }: Pick<FacetPickersProps, 'filter' | 'onChange'>) {
  const [name, setName] = useState<string>();
  const isKnown = useOffered('facts') === true;
  const names = useQuery({ ...factQueries.names(), enabled: isKnown });
  const counts = useQuery({ ...factQueries.counts(name ?? ''), enabled: isKnown && name !== undefined });
  if (!isKnown || !names.data?.Names.length) return null;
  const { facts = {} } = filter;
  const value = name === undefined ? undefined : wantedFact(filter, name);
  const chosen = name === undefined ? Object.keys(facts) : value === undefined ? [] : [value];
  const values = counts.data?.Items.map(({ Value, Devices }) => ({ value: Value, count: Devices }));
  return (
    <FacetPicker
      name={name === undefined ? 'fact' : `value of ${name}`}
      label="Fact"
      chosen={chosen}
      facet={name === undefined ? undefined : values?.filter((each) => each.value !== '')}
      known={name === undefined ? names.data.Names : []}
      // The list has the most frequent values only.
      isFree={name !== undefined}
      isReading={name !== undefined && values === undefined}
      onOpen={() => setName(undefined)}
      onChange={(next) => {
        const toggled = next.find((each) => !chosen.includes(each)) ?? chosen.find((each) => !next.includes(each));
        if (name === undefined) return setName(toggled);
        onChange(withFact(filter, name, toggled === value ? undefined : toggled));
        setName(undefined);
      }}
    />
  );
}

interface FacetPickerProps {
  name: string;
  label: string;
  chosen: readonly string[];
  facet: readonly FacetValue[] | undefined;
  known: readonly string[];
  /** Other values can be typed; by default while the facet is unknown. */
  isFree?: boolean;
  isReading: boolean;
  onOpen: () => void;
  onChange: (values: string[]) => void;
}

/** Values start with a sign in the list, because the empty text, for none, can be chosen too. */
const keyOf = (value: string) => `=${value}`;

function FacetPicker(props: FacetPickerProps) {
  const { name, label, chosen, facet, known, isFree: takesOthers = !facet, isReading, onOpen, onChange } = props;
  const [typed, setTyped] = useState('');
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption();
      box.focusTarget();
      setTyped('');
    },
    onDropdownOpen: () => {
      onOpen();
      box.focusSearchInput();
    },
  });
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  const counts = facet && new Map(facet.map(({ value, count }) => [value, count]));
  const values = facet
    ? facet.map(({ value }) => value)
    : [...new Set([...chosen.filter(Boolean), ...known]), ''].filter((value) => value || chosen.includes(value));
  const wanted = fold(typed.trim());
  const found = values.filter((value) => fold(value || `no ${name}`).includes(wanted)).slice(0, MOST);
  // Without the whole fleet the other values are unknown.
  const isFree = takesOthers && wanted !== '' && !values.includes(typed.trim());
  // Enter chooses the only remaining one.
  const isOnly = wanted !== '' && found.length + Number(isFree) === 1;
  const choose = useEffectEvent(() => void box.selectFirstOption());
  useEffect(() => {
    if (isOnly) choose();
  }, [isOnly, typed]);
  return (
    <Combobox
      store={box}
      width={250}
      position="bottom-start"
      withinPortal={false}
      // A large fleet has hundreds of values, of which a closed list shows none.
      keepMounted={false}
      shadow="none"
      onOptionSubmit={(key) => {
        toggle(key.slice(1));
        setTyped('');
      }}
    >
      <Combobox.Target targetType="button">
        <Button
          size="sm"
          px={8}
          className={classes.toggle}
          data-chosen={chosen.length > 0 || undefined}
          rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
          onClick={() => box.toggleDropdown()}
        >
          <span className="visually-hidden">Filter by </span>
          {label}
          {chosen.length > 0 && (
            <span className={classes.count}>
              {formatCount(chosen.length)}
              <span className="visually-hidden"> chosen</span>
            </span>
          )}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={`Find a ${name}`}
          placeholder={takesOthers ? `Find or type a ${name}` : `Find a ${name}`}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            box.updateSelectedOptionIndex();
          }}
          autoComplete="off"
          spellCheck={false}
        />
        <Combobox.Options
          className={classes.options}
          aria-label={`Values of ${name}`}
          aria-multiselectable
          // A list that scrolls can be scrolled by keyboard: by going through its options.
          mah={300}
        >
          {found.map((value) => (
            <Combobox.Option
              key={value}
              value={keyOf(value)}
              active={chosen.includes(value)}
              aria-selected={chosen.includes(value)}
            >
              <span className={classes.option}>
                <span className={classes.mark}>
                  {chosen.includes(value) && <IconCheck size={14} stroke={2} aria-hidden />}
                </span>
                {value ? (
                  <MiddleEllipsis className="truncate" text={value} />
                ) : (
                  <span className="truncate dim">No {name}</span>
                )}
                {counts && <span className={classes.count}>{formatCount(counts.get(value) ?? 0)}</span>}
              </span>
            </Combobox.Option>
          ))}
          {isFree && (
            <Combobox.Option value={keyOf(typed.trim())}>
              <span className={classes.option}>
                <span className={classes.mark} />
                <bdi className="truncate">Filter by “{typed.trim()}”</bdi>
              </span>
            </Combobox.Option>
          )}
          {found.length === 0 && !isFree && (
            <Combobox.Empty>
              {isReading ? 'Loading all devices…' : typed ? 'Nothing found' : `No ${name}s yet`}
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
