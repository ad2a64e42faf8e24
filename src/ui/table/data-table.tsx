// A plain table: columns as data, two lines for each row at phone width. For lists that need no virtual scrolling.
import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface Column<Row> {
  /** Heading; for the column of buttons a name that only screen readers get. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'end';
  /** The column of buttons at the end of a row. */
  tools?: true;
  /** At phone width: left out, on a line of its own, or smaller on the second line, at its beginning or its end. */
  phone?: 'hide' | 'wide' | 'second' | 'end';
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers: "Devices". */
  name: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
}

export function DataTable<Row>({ name, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <div className={classes.wrap}>
      <table className={classes.table} aria-label={name}>
        <thead>
          <tr>
            {columns.map(({ header, align, tools }) => (
              <th key={header} scope="col" data-align={align} data-tools={tools}>
                {tools ? <span className="visually-hidden">{header}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ header, cell, align, tools, phone }) => (
                <td key={header} data-align={align} data-tools={tools} data-phone={phone}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Class of the link or text that names a row. */
export const rowName = classes.name;
